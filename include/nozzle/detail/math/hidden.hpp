#pragma once

namespace nozzle::detail
{

/// x, of which compilers do not know that it is a constant.
template <class T>
T hidden(T x)
{
#if defined(__x86_64__) && defined(__GNUC__)
  asm("" : "+x"(x));
#endif
  return x;
}

} // namespace nozzle::detail
