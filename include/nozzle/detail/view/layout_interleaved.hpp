#pragma once

#include <nozzle/detail/config.hpp>

namespace nozzle
{

/// The layout, for cuda::std::mdspan, of every second block of columns in a row-major matrix.
struct layout_interleaved
{
  template <class Extents>
  class mapping
  {
  public:
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = typename Extents::rank_type;
    using layout_type = layout_interleaved;

    static_assert(Extents::rank() == 2, "nozzle::layout_interleaved is one of matrices");

    NOZZLE_HOST_DEVICE constexpr mapping(
      index_type rows, index_type columns, index_type block, index_type row_stride, index_type column_stride)
      : extents_(rows, columns)
      , block_(block)
      , row_stride_(row_stride)
      , column_stride_(column_stride)
    {
    }

    NOZZLE_HOST_DEVICE constexpr Extents const& extents() const noexcept { return extents_; }

    /// Columns in a block.
    NOZZLE_HOST_DEVICE constexpr index_type block() const noexcept { return block_; }

    NOZZLE_HOST_DEVICE constexpr index_type row_stride() const noexcept { return row_stride_; }

    /// Between neighbours in a block.
    NOZZLE_HOST_DEVICE constexpr index_type column_stride() const noexcept { return column_stride_; }

    /// Between a block and the next one of this view.
    NOZZLE_HOST_DEVICE constexpr index_type block_stride() const noexcept
    {
      return static_cast<index_type>(2 * block_ * column_stride_);
    }

    template <class Row, class Column>
    NOZZLE_HOST_DEVICE constexpr index_type operator()(Row row, Column column) const noexcept
    {
      const auto c = static_cast<index_type>(column);
      return static_cast<index_type>(static_cast<index_type>(row) * row_stride_ + c / block_ * block_stride()
                                     + c % block_ * column_stride_);
    }

    NOZZLE_HOST_DEVICE constexpr index_type required_span_size() const noexcept
    {
      const index_type rows = extents_.extent(0);
      const index_type columns = extents_.extent(1);
      return static_cast<index_type>(rows == 0 || columns == 0 ? 0 : (*this)(rows - 1, columns - 1) + 1);
    }

    static constexpr bool is_always_unique() noexcept { return true; }
    static constexpr bool is_always_exhaustive() noexcept { return false; }
    static constexpr bool is_always_strided() noexcept { return false; }
    static constexpr bool is_unique() noexcept { return true; }
    static constexpr bool is_exhaustive() noexcept { return false; }
    static constexpr bool is_strided() noexcept { return false; }

    NOZZLE_HOST_DEVICE friend constexpr bool operator==(mapping const& a, mapping const& b) noexcept
    {
      return a.extents_ == b.extents_ && a.block_ == b.block_ && a.row_stride_ == b.row_stride_
             && a.column_stride_ == b.column_stride_;
    }

  private:
    Extents extents_;
    index_type block_;
    index_type row_stride_;
    index_type column_stride_;
  };
};

} // namespace nozzle
