#!/usr/bin/env python3
"""Times a training step of models with random weights, and of what nozzle.replace makes of them: in milliseconds, with
the memory in MB that is kept for the backward pass, and on CUDA the peak of the step.
"""

import argparse
import copy
import time

import torch

import nozzle
from functions import TYPES, list_of, positive, print_head, print_row
from speed import in_turns


def mobilenet(on_gpu):
    import torchvision
    batch, size = (256, 224) if on_gpu else (8, 96)
    return torchvision.models.mobilenet_v3_large(), torch.randn(batch, 3, size, size)


def llama(on_gpu):
    import transformers
    width, layers, tokens = (2048, 8, 2048) if on_gpu else (256, 2, 256)
    config = transformers.LlamaConfig(vocab_size=4096, hidden_size=width, intermediate_size=width * 7 // 2,
                                      num_hidden_layers=layers, num_attention_heads=width // 64,
                                      num_key_value_heads=width // 64, use_cache=False)
    return transformers.LlamaForCausalLM(config), torch.randint(4096, (4, tokens))


def loss_of(model, x):
    y = model(x)
    return getattr(y, "logits", y).float().square().mean()


def kept(model, x):
    """What autograd keeps, without the parameters."""
    known = {p.untyped_storage().data_ptr() for p in model.parameters()}
    storages = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            storages[storage.data_ptr()] = storage # which keeps the address from being used again
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss_of(model, x)
    return sum(storage.nbytes() for storage in storages.values()) / 1e6


def step_ms(model, x):
    """Milliseconds of a step."""
    wait = torch.cuda.synchronize if x.is_cuda else lambda: None
    model.zero_grad()
    wait()
    start = time.perf_counter()
    loss_of(model, x).backward()
    wait()
    return (time.perf_counter() - start) * 1e3


def peak(model, x):
    """What a step allocates at once, on CUDA."""
    if not x.is_cuda:
        return float("nan")
    model.zero_grad() # or what it frees would be missing from the peak
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    loss_of(model, x).backward()
    return (torch.cuda.max_memory_allocated() - before) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", type=list_of(TYPES), default=["float", "bf16"], metavar="LIST",
                        help=", ".join(TYPES) + "; default: float,bf16")
    parser.add_argument("--rounds", type=positive, default=20, help="default: %(default)s")
    options = parser.parse_args()
    on_gpu = torch.cuda.is_available()
    device = "cuda" if on_gpu else "cpu"
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if on_gpu else 'cpu'}")
    notes = []
    print_head("model", "type", "", "ms", "kept, MB", "peak, MB")
    for make in (mobilenet, llama):
        for type_name in options.types:
            torch.manual_seed(0)
            try:
                model, x = make(on_gpu)
            except ImportError as error:
                notes.append(f"{make.__name__}: left out: {error}")
                break
            dtype = TYPES[type_name]
            model, x = model.to(device, dtype), x.to(device, dtype if x.is_floating_point() else None)
            replaced = copy.deepcopy(model)
            swapped = nozzle.replace(replaced)
            models = {"PyTorch": model, "nozzle": replaced}
            times = in_turns(models, lambda model: step_ms(model, x), options.rounds)
            for name, model in models.items():
                print_row(make.__name__, type_name, name, times[name], kept(model, x), peak(model, x))
        else:
            kinds = list(swapped.values())
            counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
            notes.append(f"{make.__name__}: swapped {counts}")
    print("", *notes, sep="\n")


if __name__ == "__main__":
    main()
