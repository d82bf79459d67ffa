// What perceptron.cpp learns from, made on the host and copied.
#pragma once

#include "matrix.hpp"

#include <thrust/copy.h>
#include <thrust/host_vector.h>

#include <cstddef>
#include <random>

/// Uniform in [-bound, bound).
inline matrix random_matrix(int rows, int columns, float bound)
{
  static std::mt19937 engine;
  std::uniform_real_distribution<float> distribution(-bound, bound);
  matrix m(rows, columns);
  thrust::host_vector<float> values(m.size());
  for (float& value : values)
    value = distribution(engine);
  thrust::copy(values.begin(), values.end(), m.begin());
  return m;
}

/// Points of a square, a row each: x, y, and a 1 that the first layer's biases are multiplied by.
inline matrix random_points(int count)
{
  matrix points = random_matrix(count, 3, 1);
  thrust::host_vector<float> values(points.begin(), points.end());
  for (std::size_t i = 2; i < values.size(); i += 3)
    values[i] = 1;
  thrust::copy(values.begin(), values.end(), points.begin());
  return points;
}

/// 1 where a point is inside, 0 elsewhere.
inline matrix inside_circle(matrix const& points)
{
  const thrust::host_vector<float> values(points.begin(), points.end());
  thrust::host_vector<float> inside;
  for (std::size_t i = 0; i < values.size(); i += 3)
    inside.push_back(values[i] * values[i] + values[i + 1] * values[i + 1] < 0.5f ? 1.f : 0.f);
  matrix m(points.rows, 1);
  thrust::copy(inside.begin(), inside.end(), m.begin());
  return m;
}
