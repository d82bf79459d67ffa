// What a call would do, and how to decide otherwise.
#include <nozzle/activation/gelu.hpp>
#include <nozzle/transform.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <iostream>

int main()
{
  const thrust::device_vector<float> x(100000, 1.f);
  thrust::device_vector<float> y(x.size());
  const thrust::counting_iterator<float> numbers(0);

  // The plan for data in memory, and for an iterator that only Thrust can serve.
  const auto of_memory = nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), nozzle::gelu{});
  const auto of_numbers = nozzle::explain(thrust::device, numbers, numbers + 100000, y.begin(), nozzle::gelu{});
  std::cout << "memory: " << of_memory << "\nnumbers: " << of_numbers << '\n';

  // A selector is any callable from the facts of a call and of the machine to a plan. This one keeps calls of less than
  // a million elements out of the threads that another part of the program uses.
  const auto alone = [](nozzle::work const& work, nozzle::machine const& machine)
  {
    nozzle::plan plan = nozzle::plan_for(work, machine);
    if (plan.route == nozzle::route::parallel && work.n < 1000000)
      plan = {nozzle::route::serial, {}, "the other threads are busy"};
    return plan;
  };
  const auto chosen = nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), nozzle::gelu{}, alone);
  std::cout << "chosen: " << chosen << '\n';
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), nozzle::gelu{}, alone);
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), nozzle::gelu{}, nozzle::always_library);

  return of_memory.route != nozzle::route::library && of_numbers.route == nozzle::route::library
             && chosen.route != nozzle::route::parallel
           ? 0
           : 1;
}
