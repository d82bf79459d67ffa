#include "perf/company/chain.hpp"

#include "perf/cuda/cuda_handle.hpp"
#include "perf/cuda/device_work.hpp"

#include <cublas_v2.h>

#include <array>
#include <cmath>
#include <memory>
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
  char const* name;
  cudaDataType data;
  cublasComputeType_t compute;
};

constexpr gemm_type gemm_types[] = {{"float", CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
                                    {"half", CUDA_R_16F, CUBLAS_COMPUTE_32F},
                                    {"bf16", CUDA_R_16BF, CUBLAS_COMPUTE_32F}};

/// Null where cuBLAS does not multiply this type.
gemm_type const* find_gemm_type(std::string const& name)
{
  for (gemm_type const& each : gemm_types)
  {
    if (name == each.name)
      return &each;
  }
  return nullptr;
}

/// A handle on the stream of all calls. It has a workspace from the start, so that capturing a graph allocates nothing.
cublasHandle_t cublas()
{
  static constexpr std::size_t workspace_bytes = std::size_t(64) << 20;
  static const device_memory workspace = make_device_memory(workspace_bytes);
  static const auto handle = []
  {
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made), "creating a handle");
    std::unique_ptr<cublasContext, destroyer<cublasDestroy>> owner(made);
    check(cublasSetStream(made, the_stream()), "setting the stream"); // takes the workspace away
    check(cublasSetWorkspace(made, workspace.get(), workspace_bytes), "setting the workspace");
    return owner;
  }();
  return handle.get();
}

/// The matrices of a chain, row-major, and its products.
class layers
{
public:
  layers(gemm_type const& type, benchmark const& of, std::size_t its_rows, std::uint64_t seed)
    : type_(type)
    , rows_(its_rows)
    , input_(make_device_memory(rows_ * row_elements * of.element_bytes))
    , activated_(make_device_memory(rows_ * row_elements * of.element_bytes))
    , output_(make_device_memory(rows_ * row_elements * of.element_bytes))
  {
    for (int i = 0; i < of.inputs; ++i)
      hidden_.push_back(make_device_memory(rows_ * row_elements * of.element_bytes));
    fill(of.type, input_.get(), rows_ * row_elements, distribution::normal, seed);
    for (device_memory& weight : weights_)
    {
      weight = make_device_memory(row_elements * row_elements * of.element_bytes);
      const double scale = 1 / std::sqrt(static_cast<double>(row_elements)); // products then have deviation 1
      fill(of.type, weight.get(), row_elements * row_elements, distribution::normal, ++seed, scale);
    }
    check(cudaStreamSynchronize(the_stream()), "making the matrices");
  }

  void step(int number, device_call const& call) const
  {
    std::size_t weight = static_cast<std::size_t>(number) * (hidden_.size() + 1);
    std::vector<void const*> inputs;
    for (device_memory const& product : hidden_)
    {
      multiply(input_.get(), weight++, product.get());
      inputs.push_back(product.get());
    }
    if (call)
      call(activated_.get(), inputs.data());
    multiply(call ? activated_.get() : hidden_.front().get(), weight, output_.get());
  }

private:
  /// to = from * weight. cuBLAS counts by columns: for it each matrix is transposed, and so is the product.
  void multiply(void const* from, std::size_t weight, void* to) const
  {
    constexpr int width = static_cast<int>(row_elements);
    const float one = 1;
    const float zero = 0;
    check(cublasGemmEx(cublas(),
                       CUBLAS_OP_N,
                       CUBLAS_OP_N,
                       width,
                       static_cast<int>(rows_),
                       width,
                       &one,
                       weights_[weight % weights_.size()].get(),
                       type_.data,
                       width,
                       from,
                       type_.data,
                       width,
                       &zero,
                       to,
                       type_.data,
                       width,
                       type_.compute,
                       CUBLAS_GEMM_DEFAULT),
          "multiplying matrices");
  }

  gemm_type type_;
  std::size_t rows_;
  device_memory input_;
  std::vector<device_memory> hidden_;
  device_memory activated_;
  device_memory output_;
  std::array<device_memory, 4> weights_;
};

} // namespace

std::string why_no_gemm()
{
  return "";
}

bool is_gemm_type(std::string const& type)
{
  return find_gemm_type(type) != nullptr;
}

facts gemm_facts()
{
  std::string version;
  for (libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL})
  {
    int number = 0;
    check(cublasGetProperty(part, &number), "asking for the version");
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return {{"cublas", version}};
}

chain gemm_chain(benchmark const& s, std::size_t rows, std::uint64_t seed)
{
  gemm_type const* const type = find_gemm_type(s.type);
  if (!type)
    throw std::logic_error(std::string("no GEMM is defined for ") + s.type);
  const auto all = std::make_shared<layers>(*type, s, rows, seed);
  return {steps_of(rows), s.inputs + 2, [all](int step, device_call const& call) { all->step(step, call); }};
}

} // namespace perf
