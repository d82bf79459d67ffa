"""import nozzle.distributed tells DTensor how the operators shard: element by element. It imports
torch.distributed.tensor, which takes longer than the rest of the package."""

import torch
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from .operators import element_wise, in_place, packed


def _placements(dimensions, arguments):
    """What the result and the arguments may be, one after the other: the same all of them."""
    for placement in (Replicate(), *map(Shard, dimensions)):
        yield [placement], [placement if hasattr(argument, "placements") else None for argument in arguments]


def _element_wise(input, *rest):
    return list(_placements(range(input.ndim), (input, *rest)))


def _packed(input, *rest):
    return list(_placements(range(input.ndim - 1), (input, *rest)))


def _in_place(*arguments):
    return [([], of_arguments) for _, of_arguments in _element_wise(*arguments)]


register_sharding(element_wise)(_element_wise)
register_sharding(in_place)(_in_place)
register_sharding(packed)(_packed)
