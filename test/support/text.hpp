#pragma once

#include <doctest/doctest.h>

/// doctest prints names: by itself it prints the address of a `char const*`.
template <>
struct doctest::StringMaker<char const*>
{
  static String convert(char const* text) { return text; }
};
