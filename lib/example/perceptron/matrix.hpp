// Matrices and their products: by cuBLAS where nvcc compiles, elsewhere by Thrust.
#pragma once

#include <thrust/device_vector.h>
#include <thrust/tabulate.h>

#include <cstddef>

#if defined(__CUDACC__)
#include <cublas_v2.h>

#include <stdexcept>
#endif

/// Floats, row after row.
struct matrix : thrust::device_vector<float>
{
  matrix(int of_rows, int of_columns)
    : thrust::device_vector<float>(static_cast<std::size_t>(of_rows * of_columns))
    , rows(of_rows)
    , columns(of_columns)
  {
  }

  int rows;
  int columns;
};

/// A matrix as a factor of a product: itself, or its transpose.
struct factor
{
  factor(matrix const& m, bool transpose = false)
    : values(thrust::raw_pointer_cast(m.data()))
    , columns(m.columns)
    , inner(transpose ? m.rows : m.columns)
    , transposed(transpose)
  {
  }

  __host__ __device__ float operator()(int row, int column) const
  {
    return transposed ? values[column * columns + row] : values[row * columns + column];
  }

  float const* values;
  int columns; ///< in memory
  int inner;   ///< columns of the factor
  bool transposed;
};

inline factor transposed(matrix const& m)
{
  return {m, true};
}

#if defined(__CUDACC__)

/// c = a b. cuBLAS counts by columns: it sees the transposes of all three.
inline void multiply(factor a, factor b, matrix& c)
{
  static const cublasHandle_t handle = []
  {
    cublasHandle_t created{};
    if (cublasCreate(&created) != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error("cublasCreate failed");
    return created;
  }();
  const auto form = [](factor const& f) { return f.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const float one = 1;
  const float zero = 0;
  const cublasStatus_t status = cublasSgemm(handle,
                                            form(b),
                                            form(a),
                                            c.columns,
                                            c.rows,
                                            a.inner,
                                            &one,
                                            b.values,
                                            b.columns,
                                            a.values,
                                            a.columns,
                                            &zero,
                                            thrust::raw_pointer_cast(c.data()),
                                            c.columns);
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error("cublasSgemm failed");
}

#else

/// c = a b
inline void multiply(factor a, factor b, matrix& c)
{
  const auto element = [a, b, columns = c.columns](std::ptrdiff_t i)
  {
    const int row = static_cast<int>(i) / columns;
    const int column = static_cast<int>(i) % columns;
    float sum = 0;
    for (int k = 0; k < a.inner; ++k)
      sum += a(row, k) * b(k, column);
    return sum;
  };
  thrust::tabulate(c.begin(), c.end(), element);
}

#endif
