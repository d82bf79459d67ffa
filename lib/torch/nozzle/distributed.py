"""import nozzle.distributed tells DTensor how the operators shard: element by element. It imports
torch.distributed.tensor, which takes longer than the rest of the package."""

from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from .operators import element_wise, in_place, packed


def _shardings(dimensions, *arguments):
    """The placements that are possible. The result and all arguments have the same: replicated, or sharded in one of
    the first `dimensions` dimensions."""
    return [([placement], [placement if hasattr(each, "placements") else None for each in arguments])
            for placement in (Replicate(), *map(Shard, range(dimensions)))]


register_sharding(element_wise)(lambda *x: _shardings(x[0].ndim, *x))
register_sharding(packed)(lambda *x: _shardings(x[0].ndim - 1, *x))
register_sharding(in_place)(lambda *x: [([], of_inputs) for _, of_inputs in _shardings(x[0].ndim, *x)])
