// A perceptron of two layers learns which points of a square lie inside a circle: a program over Thrust and cuBLAS that
// takes its activations and their gradients from nozzle.
#include "circle.hpp"
#include "matrix.hpp"

#include <nozzle/activation/sigmoid.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>

#include <cstdio>

/// The cross-entropy of sigmoid(z) and a target of 0 or 1. Any functor can call nozzle's functors.
struct cross_entropy
{
  __host__ __device__ float operator()(float z, float target) const { return nozzle::softplus{}(z)-target * z; }
};

int main()
{
  using namespace thrust::placeholders;
  constexpr int points = 1000;
  constexpr int hidden = 32;
  constexpr float rate = 1.f / points;

  const matrix x = random_points(points);
  const matrix target = inside_circle(x);
  matrix w1 = random_matrix(3, hidden, 2), w2 = random_matrix(hidden, 1, 0.5f), dw1 = w1, dw2 = w2;
  matrix a(points, hidden), h = a, da = a, z(points, 1), dz = z;

  float first_loss = 0;
  float loss = 0;
  for (int step = 0; step <= 400; ++step)
  {
    // Forward: z = silu(x w1) w2
    multiply(x, w1, a);
    nozzle::transform(thrust::device, a.begin(), a.end(), h.begin(), nozzle::silu{});
    multiply(h, w2, z);

    loss = rate * thrust::inner_product(z.begin(), z.end(), target.begin(), 0.f, thrust::plus<>{}, cross_entropy{});
    first_loss = step == 0 ? loss : first_loss;
    if (step % 100 == 0)
      std::printf("step %d: loss %.3f\n", step, loss);

    // Backward: the loss's gradient with respect to z is sigmoid(z) - target.
    nozzle::transform(thrust::device, z.begin(), z.end(), dz.begin(), nozzle::sigmoid{});
    thrust::transform(dz.begin(), dz.end(), target.begin(), dz.begin(), _1 - _2);
    multiply(transposed(h), dz, dw2);
    multiply(dz, transposed(w2), da);
    nozzle::transform(thrust::device, da.begin(), da.end(), a.begin(), da.begin(), nozzle::gradient(nozzle::silu{}));
    multiply(transposed(x), da, dw1);

    thrust::transform(w1.begin(), w1.end(), dw1.begin(), w1.begin(), _1 - rate * _2);
    thrust::transform(w2.begin(), w2.end(), dw2.begin(), w2.begin(), _1 - rate * _2);
  }
  return loss < first_loss / 10 ? 0 : 1;
}
