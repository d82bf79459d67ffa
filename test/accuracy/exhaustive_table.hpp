#pragma once

#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

// What the exhaustive program found, as a table for readers and as CSV for programs.

namespace exhaustive
{

/// The largest error of one functor on one type, where it occurs, and what is stated.
struct finding
{
  std::string type;
  double error = 0;
  double bound = 0;
  std::string at;
  double computed = 0;
  double exact = 0;

  bool holds() const { return error <= bound; }
};

/// A function's findings, forward and gradient, for each type.
struct line
{
  std::string name;
  std::vector<finding> forward;
  std::vector<finding> gradient;
  double reference_error = 0; ///< ULP of float, of double on the device against long double on the host

  bool holds() const
  {
    bool all = reference_error < largest_reference_error;
    for (std::vector<finding> const* direction : {&forward, &gradient})
    {
      for (finding const& f : *direction)
        all = all && f.holds();
    }
    return all;
  }

  static constexpr double largest_reference_error = 0.01;
};

inline std::string shown(char const* format, double x)
{
  char text[64];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

/// "0.51 / 0.51 / 0.51": of every type.
inline std::string errors_of(std::vector<finding> const& findings)
{
  std::string text;
  for (finding const& f : findings)
    text += (text.empty() ? "" : " / ") + shown("%.4g", f.error) + (f.holds() ? "" : "!");
  return text;
}

/// "2 / 0.51": of float and of the narrow types.
inline std::string bounds_of(std::vector<finding> const& findings)
{
  return shown("%g", findings.front().bound) + " / " + shown("%g", findings.back().bound);
}

inline void write_table(std::ostream& out, std::vector<line> const& lines)
{
  out << "| function | forward: float, half, bf16, e4m3, e5m2 | bound | float's worst at | "
         "gradient: float, half, bf16, e4m3, e5m2 | bound | float's worst at | reference error | holds |\n"
         "|---|---|---|---|---|---|---|---|---|\n";
  for (line const& l : lines)
  {
    out << "| " << l.name;
    for (std::vector<finding> const* direction : {&l.forward, &l.gradient})
      out << " | " << errors_of(*direction) << " | " << bounds_of(*direction) << " | " << direction->front().at;
    out << " | " << shown("%.1e", l.reference_error) << " | " << (l.holds() ? "yes" : "NO") << " |\n";
  }
}

inline void write_csv(std::ostream& out, std::vector<line> const& lines)
{
  out << "function,direction,type,error,bound,at,computed,exact\n";
  for (line const& l : lines)
  {
    const auto write = [&](char const* direction, std::vector<finding> const& findings)
    {
      for (finding const& f : findings)
        out << l.name << ',' << direction << ',' << f.type << ',' << shown("%.6g", f.error) << ',' << f.bound << ','
            << f.at << ',' << shown("%.17g", f.computed) << ',' << shown("%.17g", f.exact) << '\n';
    };
    write("forward", l.forward);
    write("gradient", l.gradient);
  }
}

} // namespace exhaustive
