#include "perf/company/chain.hpp"

#include "perf/cuda/cuda_handle.hpp"
#include "perf/cuda/device_work.hpp"

#include <cublas_v2.h>

#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

namespace perf
{

/// Beside CUDA's check(), which one in the unnamed namespace would hide.
static void check(cublasStatus_t status, std::string const& doing)
{
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error("cuBLAS, " + doing + ": " + cublasGetStatusString(status));
}

namespace
{

/// What cuBLAS calls an element type, and how it multiplies.
struct gemm_type
{
  cudaDataType data;
  cublasComputeType_t compute;
};

std::map<std::string, gemm_type> const gemm_types = {{"float", {CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32}},
                                                     {"half", {CUDA_R_16F, CUBLAS_COMPUTE_32F}},
                                                     {"bf16", {CUDA_R_16BF, CUBLAS_COMPUTE_32F}}};

/// A handle on the stream of all calls, to the program's end. It has a workspace from the start, so that capturing a
/// graph allocates nothing.
cublasHandle_t cublas()
{
  static const cublasHandle_t handle = []
  {
    constexpr std::size_t workspace_bytes = std::size_t(64) << 20;
    static const device_memory workspace = make_device_memory(workspace_bytes);
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made), "creating a handle");
    check(cublasSetStream(made, the_stream()), "setting the stream"); // takes the workspace away
    check(cublasSetWorkspace(made, workspace.get(), workspace_bytes), "setting the workspace");
    return made;
  }();
  return handle;
}

/// to = from * weight, of row-major matrices. cuBLAS counts by columns: for it each is transposed, and so is the
/// product.
void multiply(gemm_type const& type, std::size_t rows, void const* from, void const* weight, void* to)
{
  constexpr int width = static_cast<int>(row_elements);
  const int height = static_cast<int>(rows);
  const float one = 1;
  const float zero = 0;
  check(cublasGemmEx(cublas(),
                     CUBLAS_OP_N,
                     CUBLAS_OP_N,
                     width,
                     height,
                     width,
                     &one,
                     weight,
                     type.data,
                     width,
                     from,
                     type.data,
                     width,
                     &zero,
                     to,
                     type.data,
                     width,
                     type.compute,
                     CUBLAS_GEMM_DEFAULT),
        "multiplying matrices");
}

} // namespace

void add_gemm(system& on)
{
  for (auto const& [name, type] : gemm_types)
    on.gemm_types.push_back(name);
  std::string version;
  for (libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL})
  {
    int number = 0;
    check(cublasGetProperty(part, &number), "asking for the version");
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  on.facts.emplace_back("cublas", version);
}

chain gemm_chain(benchmark const& s, std::size_t rows)
{
  const gemm_type type = gemm_types.at(s.type);
  std::uint64_t seed = data_seed;
  const auto matrix = [&](std::size_t its_rows, double scale = 1)
  {
    const device_memory made = make_device_memory(its_rows * row_elements * s.element_bytes);
    fill(s.type, made.get(), its_rows * row_elements, distribution::normal, seed++, scale);
    return made;
  };

  const device_memory input = matrix(rows);
  const device_memory activated = matrix(rows);
  const device_memory output = matrix(rows);
  std::vector<device_memory> hidden; // the products that the call reads
  std::vector<void const*> inputs;
  for (int i = 0; i < s.inputs; ++i)
    inputs.push_back(hidden.emplace_back(matrix(rows)).get());
  std::array<device_memory, 4> weights;
  for (auto& weight : weights)
    weight = matrix(row_elements, 1 / std::sqrt(static_cast<double>(row_elements))); // products have deviation 1
  check(cudaStreamSynchronize(the_stream()), "making the matrices");

  const auto enqueue = [=](int step, device_call const& call)
  {
    std::size_t next = static_cast<std::size_t>(step) * (hidden.size() + 1);
    const auto times_weight = [&](auto const& from, auto const& to)
    { multiply(type, rows, from.get(), weights[next++ % weights.size()].get(), to.get()); };
    for (auto const& product : hidden)
      times_weight(input, product);
    if (call)
      call(activated.get(), inputs.data());
    times_weight(call ? activated : hidden.front(), output);
  };
  return {steps_of(rows), s.inputs + 2, enqueue};
}

} // namespace perf
