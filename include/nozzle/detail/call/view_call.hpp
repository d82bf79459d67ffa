#pragma once

#include <nozzle/detail/call/call.hpp>
#include <nozzle/detail/host/loop.hpp>
#include <nozzle/detail/host/view_loop.hpp>
#include <nozzle/detail/view/nest.hpp>
#include <nozzle/detail/view/outputs.hpp>
#include <nozzle/detail/view/overlap.hpp>
#include <nozzle/detail/view/view.hpp>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <cuda/std/mdspan>
#include <cuda/std/tuple>

#if defined(__CUDACC__)
#include <nozzle/detail/cuda/view_launch.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// A call of nozzle::transform over views: its checks, its facts, its routes.

namespace nozzle::detail
{

template <class View>
using view_value_t = typename View::value_type;

/// The first that is not null; nullptr if all are.
constexpr char const* first_of(std::initializer_list<char const*> reasons)
{
  for (char const* reason : reasons)
  {
    if (reason != nullptr)
      return reason;
  }
  return nullptr;
}

/// Why a call goes to Thrust, as library_reason says of ranges; nullptr if nozzle's own code may replace Thrust's.
template <class Op, class Outputs, class... In>
inline constexpr char const* view_library_reason = nullptr;
template <class Op, class... Out, class... In>
inline constexpr char const* view_library_reason<Op, cuda::std::tuple<Out...>, In...> =
  first_of({(has_strides_v<Out> && ...) && (has_strides_v<In> && ...)
              ? nullptr
              : "only Thrust can serve it: a view's layout is one of your own",
            library_reason<Op, typename Out::element_type*, typename In::element_type const*...>()...});

template <class Op, class Outputs, class... In>
inline constexpr bool view_fits_v = view_library_reason<Op, Outputs, In...> == nullptr;

template <class View>
inline constexpr bool has_usable_rank_v = View::rank() == 1 || View::rank() == 2;

/// Whether its elements are those in memory, as nozzle reads and writes them without the accessor. One that is derived
/// from the default one, as libcu++'s for a host's or a device's memory, is taken to give the same.
template <class View>
inline constexpr bool has_plain_accessor_v = std::conjunction_v<
  std::is_base_of<cuda::std::default_accessor<typename View::element_type>, typename View::accessor_type>,
  std::is_same<typename View::reference, typename View::element_type&>>;

/// Whether a user's op returns a tuple where an element is wanted. False for a device-only lambda, whose result's type
/// the host does not know.
template <class Out, class Op, class... In>
constexpr bool returns_tuple()
{
  constexpr bool is_users = parts_v<Op> == 0 && !is_activation_v<Op>;
  if constexpr (std::conjunction_v<std::bool_constant<is_users>, std::is_invocable<Op const&, In const&...>>)
  {
    using result = std::decay_t<std::invoke_result_t<Op const&, In const&...>>;
    return tuple_elements_v<result> != 0 && !std::is_constructible_v<Out, result>;
  }
  else
    return false;
}

/// Requirements on the types of a call over views, as `requirements` are of one over ranges.
template <class Policy, class Selector, class Op, class Outputs, class... In>
struct view_requirements;
template <class Policy, class Selector, class Op, class... Out, class... In>
struct view_requirements<Policy, Selector, Op, cuda::std::tuple<Out...>, In...>
{
  static constexpr bool have_usable_ranks = (has_usable_rank_v<Out> && ...) && (has_usable_rank_v<In> && ...);
  static constexpr bool have_plain_accessors = (has_plain_accessor_v<Out> && ...) && (has_plain_accessor_v<In> && ...);
  static constexpr bool have_const_result = (std::is_const_v<typename Out::element_type> || ...);
  static constexpr bool fits_results =
    parts_v<Op> == sizeof...(Out) || (parts_v<Op> == 0 && (sizeof...(Out) == 1 || !is_activation_v<Op>));
  using first_value = view_value_t<std::tuple_element_t<0, std::tuple<Out...>>>;
  static constexpr bool fits_one_result = sizeof...(Out) != 1 || !returns_tuple<first_value, Op, view_value_t<In>...>();

  static_assert(have_usable_ranks, "nozzle::transform takes views of rank 1 and 2");
  static_assert(have_plain_accessors, "nozzle::transform takes views with the default accessor");
  static_assert(!have_const_result, "nozzle::transform: the elements of result are const");
  static_assert(fits_results,
                "nozzle::transform: an activation takes one result, a fan-out one for each of its functors");
  static_assert(!has_nested_parts_v<Op>, "nozzle::transform: a fan-out takes functors of one result");
  static_assert(fits_one_result,
                "nozzle::transform: a functor of one result returns the value, not a cuda::std::tuple");

  static constexpr bool hold = have_usable_ranks && have_plain_accessors && !have_const_result && fits_results
                               && !has_nested_parts_v<Op> && fits_one_result
                               && requirements<Policy, Selector, Op, first_value*, typename In::element_type*...>::hold;
};

[[noreturn]] inline void throw_extents(
  std::string const& name, std::size_t rows, std::size_t columns, std::size_t result_rows, std::size_t result_columns)
{
  const auto text = [](std::size_t r, std::size_t c) { return std::to_string(r) + " x " + std::to_string(c); };
  throw std::invalid_argument("nozzle::transform: " + name + " is " + text(rows, columns) + ", the result "
                              + text(result_rows, result_columns));
}

/// Throws std::invalid_argument unless the outputs are of one size, and each input's rows and columns are as many or
/// one.
template <class First, class... Out, class... In>
void check_extents(cuda::std::tuple<First, Out...> const& outputs, In const&... in)
{
  const auto extents = cuda::std::get<0>(outputs).extents();
  const std::size_t rows = rows_of(extents);
  const std::size_t columns = columns_of(extents);
  const auto check = [&](char const* name, int number, auto const& view, bool broadcasts)
  {
    const std::size_t r = rows_of(view.extents());
    const std::size_t c = columns_of(view.extents());
    if ((r != rows && !(broadcasts && r == 1)) || (c != columns && !(broadcasts && c == 1)))
      throw_extents(name + std::to_string(number), r, c, rows, columns);
  };
  int number = 0;
  cuda::std::apply([&](auto const&... out) { (check("result ", ++number, out, false), ...); }, outputs);
  number = 0;
  (check("input ", ++number, in, true), ...);
}

/// For thrust::for_each over the numbers of a result's elements: what serves every view and functor.
template <class Op, class Outputs, class Rows, class... In>
struct compute_element
{
  Op op;
  Outputs outputs;
  cuda::std::tuple<In...> inputs;
  std::size_t columns;
  Rows valid;

  NOZZLE_HOST_DEVICE void operator()(std::size_t i)
  {
    const std::size_t row = i / columns;
    const std::size_t column = i % columns;
    if (!valid.has(row))
      return;
    auto result =
      cuda::std::apply([&](auto const&... in) { return op(detail::element_at(in, row, column)...); }, inputs);
    cuda::std::apply(
      [&](auto const&... out) { detail::assign(std::move(result), detail::element_at(out, row, column)...); }, outputs);
  }
};

template <class Policy, class Op, class Outputs, class Rows, class... In>
void run_view_library(Policy& policy, Op const& op, Outputs const& outputs, Rows valid, In const&... in)
{
  const auto extents = cuda::std::get<0>(outputs).extents();
  const std::size_t columns = columns_of(extents);
  const compute_element<Op, Outputs, Rows, In...> each{op, outputs, cuda::std::tuple<In...>(in...), columns, valid};
  const thrust::counting_iterator<std::size_t> first(0);
  const auto call = [&] { thrust::for_each(policy, first, first + rows_of(extents) * columns, each); };
#if defined(__CUDACC__)
  if constexpr (is_cuda_v<Policy>)
    return without_pending_error(thrust::cuda_cub::stream(policy), call);
#endif
  call();
}

/// A call's loops and facts, of types that nozzle's own code fits. All functors share them.
template <class Outputs, class Rows, class... In>
struct view_loops;

template <class... Out, class Rows, class... In>
struct view_loops<cuda::std::tuple<Out...>, Rows, In...>
{
  static constexpr std::size_t results = sizeof...(Out);
  using first_result = view_value_t<std::tuple_element_t<0, std::tuple<Out...>>>;
  static constexpr int elements = elements_per_vector<view_value_t<Out>..., view_value_t<In>...>;
  static constexpr bool may_be_misaligned = true;
  static constexpr bool may_be_paired = sizeof...(In) > 1 && elements > 1;
  static constexpr std::size_t piece = view_piece<view_value_t<Out>..., view_value_t<In>...>; ///< of a host's loop
  static constexpr bool counts = !std::is_same_v<Rows, all_rows>;
  static constexpr bool may_be_ranges = results == 1 && sizeof...(In) <= 3 && !counts;
  static constexpr bool always_fit = !(has_blocks_v<Out> || ...) && !(has_blocks_v<In> || ...);

  detail::nest<sizeof...(Out) + sizeof...(In)> nest;
  cuda::std::tuple<view_value_t<Out>*...> out;
  cuda::std::tuple<view_value_t<In> const*...> in;
  Rows valid; ///< each turn of the outer two loops is a row
  nozzle::work work;
  bool fits; ///< the views' blocks agree, and fill the rows

  /// `of_types` is what they say of the call with its first output.
  view_loops(nozzle::work of_types, cuda::std::tuple<Out...> const& outputs, Rows valid_rows, In const&... inputs)
    : out(cuda::std::apply(
      [](auto const&... view) { return cuda::std::tuple<view_value_t<Out>*...>(view.data_handle()...); }, outputs))
    , in(inputs.data_handle()...)
    , valid(valid_rows)
    , work(of_types)
    , fits(cuda::std::apply([&](auto const&... view) { return detail::make_nest(nest, counts, view..., inputs...); },
                            outputs))
  {
    if constexpr (counts)
      valid.parts =
        static_cast<unsigned>(nest.extent[0] * nest.extent[1] / rows_of(cuda::std::get<0>(outputs).extents()));
    work.bytes_written = static_cast<int>((sizeof(view_value_t<Out>) + ...));
    work.widest = static_cast<int>(std::max({sizeof(view_value_t<Out>)..., sizeof(view_value_t<In>)...}));
    work.n = nest.extent[0] * nest.extent[1] * nest.extent[2];
    with_pointers([&](auto const*... data)
                  { work.layout = detail::layout_of<elements>(nest, sizeof...(Out), may_be_ranges, data...); });
  }

  /// f(every operand's address), outputs first.
  template <class F>
  auto with_pointers(F const& f) const
  {
    return cuda::std::apply(
      [&](auto*... to) { return cuda::std::apply([&](auto const*... from) { return f(to..., from...); }, in); }, out);
  }
};

/// The same in longer vectors, where the widest operands are inputs that stand for all rows or all columns: a bias or a
/// scale in float beside data of 16 bits. While all threads run at once, shorter vectors are faster.
template <class Outputs, class Rows, class... In>
struct longer_view_loops;

template <class... Out, class Rows, class... In>
struct longer_view_loops<cuda::std::tuple<Out...>, Rows, In...> : view_loops<cuda::std::tuple<Out...>, Rows, In...>
{
  using base = view_loops<cuda::std::tuple<Out...>, Rows, In...>;
  static constexpr int elements = elements_beside_widest<view_value_t<Out>..., view_value_t<In>...>();
  static constexpr std::size_t most = vector_bytes / elements; ///< bytes of an element that has vectors of its own
  static constexpr bool exist = elements > base::elements && ((sizeof(view_value_t<Out>) <= most) && ...)
                                && ((sizeof(view_value_t<In>) <= most) || ...);
  static constexpr bool may_be_misaligned = false; ///< but rows or scaled rows
  static constexpr bool may_be_paired = false;

  explicit longer_view_loops(base const& loops)
    : base(loops)
  {
    this->work.widest = static_cast<int>(most);
    this->with_pointers(
      [&](auto const*... data)
      {
        const auto is_broadcast = [](auto const& stride) { return stride[1] == 0 || stride[2] == 0; };
        auto const* stride = this->nest.stride.data();
        this->fits = this->fits && ((is_broadcast(*stride++) || sizeof *data <= most) && ...);
        this->work.layout = detail::layout_of<elements>(this->nest, sizeof...(Out), false, data...);
      });
    this->fits = this->fits && (this->work.layout == layout::rows || this->work.layout == layout::scaled_rows);
  }
};

/// Carries out a plan with nozzle's own code.
template <class Policy, class Op, class Loops>
void run_view(Policy& policy, resolution const& r, Op const& op, Loops const& loops)
{
  if constexpr (is_cuda_v<Policy>)
  {
#if defined(__CUDACC__)
    const device_plan here(policy, r);
    detail::launch_view(here.plan, here.stream, op, loops);
    detail::wait_for(policy, here.stream);
#endif
  }
  else
  {
    constexpr std::size_t chunk = host_chunk<Op, typename Loops::first_result>();
    auto const& erased = detail::erase(op, loops.out, loops.in);
    detail::run_view_loop(policy, host_workers<Policy>(r), chunk, erased, loops);
  }
}

/// The arguments of a call over views, sorted; op is adapted to them.
template <class Policy, class Selector, class Op, class Outputs, class Rows, class... In>
struct view_arguments
{
  Policy& policy;
  Selector select;
  Op op;
  Outputs outputs;
  Rows valid;
  std::tuple<In...> in;

  /// Resolves the call and, unless it is only to be explained, carries it out.
  template <bool Runs>
  resolution perform()
  {
    return std::apply([&](In const&... inputs) { return this->template perform_with<Runs>(inputs...); }, in);
  }

private:
  /// Without it nothing of Thrust's is compiled.
  static constexpr bool may_take_library =
    !(view_fits_v<Op, Outputs, In...> && view_loops<Outputs, Rows, In...>::always_fit
      && std::is_same_v<Selector, fastest>);

  template <bool Runs>
  resolution perform_with(In const&... inputs)
  {
    detail::check_extents(outputs, inputs...);
    const auto extents = cuda::std::get<0>(outputs).extents();
    if (rows_of(extents) == 0 || columns_of(extents) == 0)
      return resolution("no elements: nothing to do");
    if constexpr (view_fits_v<Op, Outputs, In...>)
    {
      using loops_of_views = view_loops<Outputs, Rows, In...>;
      constexpr work of_types = work_of_types<Op, typename loops_of_views::first_result, view_value_t<In>...>();
      const loops_of_views loops(of_types, outputs, valid, inputs...);
      if constexpr (loops_of_views::may_be_ranges)
      {
        if (loops.fits && loops.work.layout == layout::contiguous)
          return perform_ranges<Runs>(loops);
      }
      constexpr std::size_t results = loops_of_views::results;
      const auto numbered = [](std::size_t k)
      { return k < results ? "result " + std::to_string(k + 1) : "input " + std::to_string(k - results + 1); };
      cuda::std::apply([&](auto const&... out) { detail::check_views<results>(numbered, out..., inputs...); }, outputs);
      if (loops.fits)
      {
        const resolution r = perform_loops<Runs>(loops, machine_of<Policy>());
        if (!Runs || r.plan.route != route::library)
          return r;
      }
    }
    if constexpr (Runs && may_take_library)
      detail::run_view_library(policy, op, outputs, valid, inputs...);
    return resolution(
      first_of({view_library_reason<Op, Outputs, In...>,
                "only Thrust can serve it: interleaved views whose blocks differ or do not fill their rows"}));
  }

  /// Carries the plan out if it is not Thrust's.
  template <bool Runs, class Loops>
  resolution perform_loops(Loops const& loops, machine const& here)
  {
    if constexpr (is_cuda_v<Policy> && std::is_same_v<Loops, view_loops<Outputs, Rows, In...>>)
    {
      using longer_loops = longer_view_loops<Outputs, Rows, In...>;
      if constexpr (longer_loops::exist)
        if (const longer_loops longer(loops);
            longer.fits && detail::exceeds(loops.work, here, resident_threads, Loops::elements))
          return perform_loops<Runs>(longer, here);
    }
    const resolution r(loops.work, here, select);
    if constexpr (Runs)
      if (r.plan.route != route::library)
        detail::run_view(policy, r, op, loops);
    return r;
  }

  template <bool Runs, class Loops>
  resolution perform_ranges(Loops const& loops)
  {
    return loops.with_pointers(
      [&](auto* out, auto const* first, auto const*... rest)
      {
        arguments<Policy&, Selector, Op, decltype(out), decltype(first), decltype(rest)...> ranges{
          policy, std::move(select), op, out, first, first + loops.work.n, {rest...}};
        if constexpr (Runs)
        {
          detail::carry_out(ranges);
          return resolution("");
        }
        else
          return detail::resolve(ranges);
      });
  }
};

template <class Policy, class Selector, class Op, class Result, class... In>
auto make_view_arguments(Policy& policy, Selector select, Op op, Result const& result, In const&... in)
{
  const auto ragged = detail::ragged_of(result);
  using views = std::decay_t<decltype(ragged.outputs)>;
  if constexpr (!view_requirements<Policy, Selector, Op, views, In...>::hold)
    return misuse{};
  else
    return cuda::std::apply(
      [&](auto const&... out)
      {
        const auto adapted = fit<view_value_t<In>...>::template to<view_value_t<std::decay_t<decltype(out)>>...>(op);
        return view_arguments<Policy, Selector, std::decay_t<decltype(adapted)>, views, decltype(ragged.valid), In...>{
          policy, std::move(select), adapted, ragged.outputs, ragged.valid, {in...}};
      },
      ragged.outputs);
}

} // namespace nozzle::detail
