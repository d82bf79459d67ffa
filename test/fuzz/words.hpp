#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// A program's arguments, from an input that has one in each line.
class words
{
public:
  words(char const* program, std::uint8_t const* input, std::size_t size)
    : all{program, ""}
  {
    for (std::size_t i = 0; i < size; ++i)
    {
      if (input[i] == '\n' || input[i] == 0)
        all.emplace_back();
      else
        all.back() += static_cast<char>(input[i]);
    }
    if (all.back().empty())
      all.pop_back();
    for (std::string& word : all)
      pointers.push_back(word.data());
    pointers.push_back(nullptr);
  }

  words(words const&) = delete;
  words& operator=(words const&) = delete;

  int argc() const
  {
    return static_cast<int>(all.size());
  }

  char** argv()
  {
    return pointers.data();
  }

private:
  std::vector<std::string> all;
  std::vector<char*> pointers;
};
