#ifndef NOZZLE_NOZZLE_H
#define NOZZLE_NOZZLE_H

/*
 * The C interface of libnozzle, the compiled library: nozzle's activation functions for any language with a C FFI. It
 * exposes no types of CUDA, C++ or Thrust.
 *
 *   nozzle_function clip = {NOZZLE_HARDTANH, 2, {-2, 2}};
 *   nozzle_function gelu = {NOZZLE_GELU, 0, {0}};
 *   if (nozzle_apply(&clip, NOZZLE_FLOAT, n, x, y, NOZZLE_HOST, NULL) != NOZZLE_OK ||
 *       nozzle_apply(&gelu, NOZZLE_HALF, n, device_x, device_y, NOZZLE_CUDA, stream) != NOZZLE_OK)
 *     puts(nozzle_last_error());
 *
 * What a function computes, its largest error, and its values at NaN, +-inf and +-0 are what the C++ functor of the
 * same name states (include/nozzle/activation); results are that functor's, bit for bit (of NaN, that they are NaN).
 */

#include <nozzle/version.hpp>

#include <stddef.h>

#if defined(__GNUC__)
#define NOZZLE_VISIBLE __attribute__((visibility("default")))
#else
#define NOZZLE_VISIBLE
#endif

#if defined(__cplusplus)
#define NOZZLE_API extern "C" NOZZLE_VISIBLE
#else
#define NOZZLE_API extern NOZZLE_VISIBLE
#endif

/* In C++ too an enumeration can hold any int, so that the library can refuse numbers that are not listed. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define NOZZLE_OF_INT : int
#else
#define NOZZLE_OF_INT
#endif

/* Numbers of enumerators are never given to another one. nozzle_description only grows at its end; the structures that
 * a caller fills and NOZZLE_MAX_PARAMETERS never change. */

/** How a call went. */
typedef enum nozzle_status NOZZLE_OF_INT
{
  NOZZLE_OK = 0,
  NOZZLE_INVALID_ARGUMENT = 1, /**< nothing was written; nozzle_last_error() names the argument and its value */
  NOZZLE_UNAVAILABLE = 2,      /**< NOZZLE_CUDA, or a function, where the library was built without it */
  NOZZLE_CUDA_ERROR = 3,       /**< CUDA failed */
  NOZZLE_FAILURE = 4           /**< any other failure, such as no memory; for threads see "Threads" below */
} nozzle_status;

/** What an element is. 16- and 8-bit types are computed in float and rounded once; those of 8 bits saturate. */
typedef enum nozzle_type NOZZLE_OF_INT
{
  NOZZLE_DOUBLE = 0,
  NOZZLE_FLOAT = 1,
  NOZZLE_HALF = 2,     /**< IEEE 754 binary16: CUDA's __half */
  NOZZLE_BF16 = 3,     /**< bfloat16 */
  NOZZLE_FP8_E4M3 = 4, /**< without infinity */
  NOZZLE_FP8_E5M2 = 5
} nozzle_type;

/** Where the data lies and the work is done. The caller says so; the library does not guess it from pointers. */
typedef enum nozzle_place NOZZLE_OF_INT
{
  NOZZLE_HOST = 0, /**< memory of the host; done when the call returns, on OpenMP's threads if the library has them */
  NOZZLE_CUDA = 1  /**< memory that the current device can reach; put into a stream, and not waited for */
} nozzle_place;

/**
 * The functions, with their parameters and defaults. All but those that say so are of one input. Those from
 * NOZZLE_LIMITED_GEGLU on are only in a library that was built with -DNOZZLE_ALL_FUNCTIONS=ON, as PyTorch's package is.
 */
typedef enum nozzle_op NOZZLE_OF_INT
{
  NOZZLE_IDENTITY = 0,         /**< x */
  NOZZLE_SCALE = 1,            /**< (factor): factor * x */
  NOZZLE_BIAS = 2,             /**< (offset): x + offset */
  NOZZLE_HARDTANH = 3,         /**< (lo = -1, hi = 1) */
  NOZZLE_HARDSIGMOID = 4,      /**< PyTorch's formula */
  NOZZLE_HARDSIGMOID_ONNX = 5, /**< (alpha = 0.2, beta = 0.5): ONNX's and Keras 2's */
  NOZZLE_RELU = 6,
  NOZZLE_RELU6 = 7,
  NOZZLE_SQUARED_RELU = 8,
  NOZZLE_LEAKY_RELU = 9,        /**< (slope = 0.01) */
  NOZZLE_PRELU = 10,            /**< (weight = 0.25) */
  NOZZLE_PRELU_WEIGHTS = 11,    /**< two inputs: x, and a weight for each element */
  NOZZLE_RRELU = 12,            /**< (lower = 1/8, upper = 1/3): in evaluation */
  NOZZLE_THRESHOLD = 13,        /**< (limit, value) */
  NOZZLE_THRESHOLDED_RELU = 14, /**< (alpha = 1) */
  NOZZLE_HARDSHRINK = 15,       /**< (lambda = 0.5) */
  NOZZLE_SOFTSHRINK = 16,       /**< (lambda = 0.5) */
  NOZZLE_HARDSWISH = 17,
  NOZZLE_SOFTSIGN = 18,
  NOZZLE_SIGMOID = 19,
  NOZZLE_LOG_SIGMOID = 20,
  NOZZLE_TANH = 21,
  NOZZLE_TANHSHRINK = 22,
  NOZZLE_SOFTPLUS = 23, /**< (beta = 1, threshold = 20) */
  NOZZLE_ELU = 24,      /**< (alpha = 1) */
  NOZZLE_CELU = 25,     /**< (alpha = 1) */
  NOZZLE_SELU = 26,
  NOZZLE_SILU = 27,
  NOZZLE_SWISH = 28, /**< (beta = 1) */
  NOZZLE_QUICK_GELU = 29,
  NOZZLE_MISH = 30,
  NOZZLE_GELU = 31,
  NOZZLE_GELU_TANH = 32,
  NOZZLE_GLU = 33,            /**< two inputs: a * sigmoid(b) */
  NOZZLE_SWIGLU = 34,         /**< two inputs: silu(a) * b */
  NOZZLE_GEGLU = 35,          /**< two inputs: gelu(a) * b */
  NOZZLE_GEGLU_TANH = 36,     /**< two inputs: gelu_tanh(a) * b */
  NOZZLE_REGLU = 37,          /**< two inputs: relu(a) * b */
  NOZZLE_LIMITED_SWIGLU = 38, /**< two inputs (limit = 7, alpha = 1.702, offset = 1): gpt-oss's swiglu */
  NOZZLE_SQUARED_REGLU = 39,  /**< two inputs: squared_relu(a) * b */
  NOZZLE_FATREGLU = 40,       /**< two inputs (threshold = 0): a * b where a > threshold, 0 elsewhere */

  NOZZLE_LIMITED_GEGLU = 41, /**< two inputs (limit = 7, offset = 0): limited_swiglu with gelu */
  NOZZLE_QUICK_GEGLU = 42,   /**< two inputs: quick_gelu(a) * b */
  NOZZLE_SWIGLUSTEP = 43,    /**< two inputs (limit = 7): Step-3.5's, which clamps behind silu */
  NOZZLE_SITUGLU = 44,       /**< two inputs (beta = 4, linear_beta = 25): Kimi K3's, both factors bounded */
  NOZZLE_GENERAL_RELU = 45,  /**< (slope = 0, maximum = infinity, threshold = 0): Keras's ReLU */
  NOZZLE_CLIP = 46,          /**< (lo = -infinity, hi = infinity): as hardtanh, but its gradient passes at the bounds */
  NOZZLE_SHRINK = 47,        /**< (lambda = 0.5, bias = 0): ONNX's */
  NOZZLE_SPARSE_PLUS = 48,   /**< 0, (x + 1)^2 / 4 from -1 on, x from 1 on */
  NOZZLE_SPARSE_SIGMOID = 49, /**< the slope of sparse_plus */
  NOZZLE_STAR_RELU = 50,      /**< (scale = 0.8944, bias = -0.4472): scale * relu(x)^2 + bias */
  NOZZLE_HARD_MISH = 51,      /**< timm's: x / 2 * min(max(x + 2, 0), 2) */
  NOZZLE_EXP = 52,
  NOZZLE_EXPM1 = 53,
  NOZZLE_SCALED_TANH = 54,         /**< (alpha = 1, beta = 1): alpha * tanh(beta * x) */
  NOZZLE_PARAMETRIC_SOFTPLUS = 55, /**< (alpha = 1, beta = 1): alpha * log(1 + e^(beta * x)) */
  NOZZLE_SQRT_SOFTPLUS = 56,       /**< sqrt(log(1 + e^x)) */
  NOZZLE_SQUAREPLUS = 57,          /**< (b = 4): (x + sqrt(x^2 + b)) / 2 */
  NOZZLE_LAPLACE = 58,             /**< (mu = 0.707107, sigma = 0.282095): the normal distribution function */
  NOZZLE_XIELU = 59                /**< (alpha_p = 0.8, alpha_n = 0.8, beta = 0.5): Apertus's */
} nozzle_op;

/** The most parameters that a function can have. */
#define NOZZLE_MAX_PARAMETERS 4

/**
 * A function and its parameters, in the order in which `nozzle_op` lists them. The first `count` are taken from here,
 * the others are the defaults: {NOZZLE_HARDTANH} is hardtanh(-1, 1). They are rounded to float. For double data
 * they stay double; those that must be finite must lie in float's range.
 */
typedef struct nozzle_function
{
  nozzle_op op;
  int count;
  double parameters[NOZZLE_MAX_PARAMETERS];
} nozzle_function;

/*
 * The calls. All of them take:
 *
 *   f       the function.
 *   type    of every element.
 *   n       elements. Where it is 0 nothing is read or written, and pointers may be null.
 *   ranges  pointers to n elements each, at any multiple of the element's size. The output may be one of the inputs, or
 *           lie apart from all of them.
 *   place   where the ranges lie. With NOZZLE_CUDA they can be reached by the device that is current in the calling
 *           thread.
 *   stream  with NOZZLE_CUDA the cudaStream_t that the work goes into, of that device; NULL is the default stream. The
 *           call returns at once and can be captured into a CUDA graph. A kernel of yours that is launched after it
 *           with programmatic stream serialization must call cudaGridDependencySynchronize before it touches memory
 *           that nozzle, or work before it in the stream, reads or writes. With NOZZLE_HOST the stream is ignored.
 *
 * They return NOZZLE_OK, or a status that nozzle_last_error() explains. Refused, with NOZZLE_INVALID_ARGUMENT: null
 * pointers, pointers that are not aligned to elements, an output that overlaps a part of an input, memory that the
 * device cannot reach (another device's; the host's too, but not while a graph captures the stream), unknown
 * enumerators, and parameters that the function does not allow. They can be called from any thread.
 *
 * Threads. With NOZZLE_HOST, a call of many elements runs on OpenMP's threads, OMP_NUM_THREADS of them. The first such
 * call of a thread starts them, and they outlive it: the shared library stays loaded behind dlclose().
 *   - Where the system refuses a thread, or memory for one, libgomp ends the process with a message, without a status.
 *   - A child of fork() does not have its parent's threads. There the thread that called fork() computes alone, if it
 *     had made such a call; threads that the child starts have threads of their own.
 *   - If only other code of that thread had used OpenMP before fork(), its first such call in the child waits forever.
 */

/** y[i] = f(x[i]), for a function of one input. */
NOZZLE_API nozzle_status nozzle_apply(
  nozzle_function const* f, nozzle_type type, size_t n, void const* x, void* y, nozzle_place place, void* stream);

/** dx[i] = g[i] * f'(x[i]): the gradient with respect to f's input, where g is that with respect to its output. */
NOZZLE_API nozzle_status nozzle_gradient(nozzle_function const* f,
                                         nozzle_type type,
                                         size_t n,
                                         void const* g,
                                         void const* x,
                                         void* dx,
                                         nozzle_place place,
                                         void* stream);

/**
 * The same from the result, y[i] = f(x[i]), for a function that was applied in place. Only for functions whose result
 * determines the slope: those with has_gradient_from_result in nozzle_describe().
 */
NOZZLE_API nozzle_status nozzle_gradient_from_result(nozzle_function const* f,
                                                     nozzle_type type,
                                                     size_t n,
                                                     void const* g,
                                                     void const* y,
                                                     void* dx,
                                                     nozzle_place place,
                                                     void* stream);

/** y[i] = f(a[i], b[i]), for a function of two inputs. */
NOZZLE_API nozzle_status nozzle_apply_two(nozzle_function const* f,
                                          nozzle_type type,
                                          size_t n,
                                          void const* a,
                                          void const* b,
                                          void* y,
                                          nozzle_place place,
                                          void* stream);

/** da[i] = g[i] * (f's derivative by its first input, at (a[i], b[i])). */
NOZZLE_API nozzle_status nozzle_gradient_first(nozzle_function const* f,
                                               nozzle_type type,
                                               size_t n,
                                               void const* g,
                                               void const* a,
                                               void const* b,
                                               void* da,
                                               nozzle_place place,
                                               void* stream);

/** db[i] = g[i] * (f's derivative by its second input, at (a[i], b[i])). */
NOZZLE_API nozzle_status nozzle_gradient_second(nozzle_function const* f,
                                                nozzle_type type,
                                                size_t n,
                                                void const* g,
                                                void const* a,
                                                void const* b,
                                                void* db,
                                                nozzle_place place,
                                                void* stream);

/** Elements of a matrix: the one in row i and column j is data[i * row_stride + j * column_stride]. */
typedef struct nozzle_matrix
{
  void* data;
  size_t row_stride;
  size_t column_stride;
} nozzle_matrix;

/*
 * Functions on matrices of `rows` x `columns` elements; b and db are NULL for functions of one input. A packed input
 * needs no copy: where x has rows of 2 * columns elements, their halves are {x, 2 * columns, 1} and {x + columns,
 * 2 * columns, 1}, and the even and odd columns {x, 2 * columns, 2} and {x + 1, 2 * columns, 2}. Inputs are not written
 * to; an input with a row_stride of 0 has one row for all rows, one with a column_stride of 0 one column for all
 * columns. A result may be one of the inputs; otherwise it lies apart from them and from the other result. No two
 * elements of a result share memory. Where `rows` or `columns` is 0 nothing is read or written, and matrices may be
 * NULL.
 */

/** y = f(a, b), or f(a) */
NOZZLE_API nozzle_status nozzle_apply_matrices(nozzle_function const* f,
                                               nozzle_type type,
                                               size_t rows,
                                               size_t columns,
                                               nozzle_matrix const* a,
                                               nozzle_matrix const* b,
                                               nozzle_matrix const* y,
                                               nozzle_place place,
                                               void* stream);

/** da and db as by nozzle_gradient_first and nozzle_gradient_second, in one pass; or da as by nozzle_gradient. */
NOZZLE_API nozzle_status nozzle_gradients_matrices(nozzle_function const* f,
                                                   nozzle_type type,
                                                   size_t rows,
                                                   size_t columns,
                                                   nozzle_matrix const* g,
                                                   nozzle_matrix const* a,
                                                   nozzle_matrix const* b,
                                                   nozzle_matrix const* da,
                                                   nozzle_matrix const* db,
                                                   nozzle_place place,
                                                   void* stream);

/**
 * What went wrong in this thread's latest call that did not return NOZZLE_OK, in one sentence:
 * "nozzle_apply: hardtanh: lo = 2: must not exceed hi = 1". Empty if none went wrong. Valid until this thread's next
 * call.
 */
NOZZLE_API char const* nozzle_last_error(void);

/** NOZZLE_VERSION of the library that is linked. */
NOZZLE_API int nozzle_version(void);

/** 1 if the library was built for CUDA, whether or not there is a device; otherwise 0. */
NOZZLE_API int nozzle_has_cuda(void);

/** What there is to know of a function, so that bindings can be generated. */
typedef struct nozzle_description
{
  nozzle_op op;
  char const* name; /**< "hardtanh": the enumerator without its prefix, in small letters */
  int inputs;       /**< 1 or 2 */
  int parameters;
  int required;                                       /**< of the parameters, how many have no default */
  int has_gradient_from_result;                       /**< 1 or 0 */
  char const* parameter_names[NOZZLE_MAX_PARAMETERS]; /**< "lo"; NULL beyond the last */
  double defaults[NOZZLE_MAX_PARAMETERS];             /**< NaN where there is none */
} nozzle_description;

/** The function number `op`, or NULL beyond the last that this library has: they are numbered from 0 without gaps. */
NOZZLE_API nozzle_description const* nozzle_describe(int op);

#undef NOZZLE_API
#undef NOZZLE_VISIBLE
#undef NOZZLE_OF_INT

#endif
