"""Handwritten digits: a small convolutional network learns to read them, as an ordinary PyTorch program.

    chainrule demo                  or   chainrule run examples/digits.py
    python examples/digits.py       the same program on PyTorch itself

It writes three pictures: the graph of one training step (by chainrule only), the loss, and some predictions.
The images are the UCI set "Optical Recognition of Handwritten Digits" (see _data/README.md for the credit).
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm

DATA = Path(__file__).resolve().with_name("_data") / "digits.csv.gz"
HELD_OUT = 360


def load():
    """All 1,797 digits: images (1797, 1, 8, 8) of float32 in [0, 1], labels (1797,) of int64."""
    rows = np.loadtxt(DATA, delimiter=",", dtype=np.float32)
    images = torch.from_numpy(rows[:, :64] / 16).reshape(-1, 1, 8, 8)
    labels = torch.from_numpy(rows[:, 64].astype(np.int64))
    return TensorDataset(images, labels)


class Net(nn.Module):
    """Two convolutions with batch norm, one pooling, one linear layer: 10 scores for an 8x8 image."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.first_norm = nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.second_norm = nn.BatchNorm2d(32)
        self.dropout = nn.Dropout(0.3)
        self.scores = nn.Linear(32 * 4 * 4, 10)

    def forward(self, images):
        x = F.relu(self.first_norm(self.first(images)))
        x = F.relu(self.second_norm(self.second(x)))
        x = F.max_pool2d(x, 2).flatten(1)
        return self.scores(self.dropout(x))


def train(model, digits, epochs, graph_path):
    """The loss of every step; the graph of the first one is drawn to `graph_path`."""
    batches = DataLoader(digits, batch_size=64, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(batches))
    losses = []
    model.train()
    with tqdm(total=epochs * len(batches), unit="step", desc="training") as progress:
        for _ in range(epochs):
            for images, labels in batches:
                loss = F.cross_entropy(model(images), labels)
                if not losses and hasattr(torch, "draw"):
                    torch.draw(loss, params=model).save(graph_path)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
                progress.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
                progress.update()
    return losses


@torch.no_grad()
def read(model, digits):
    """Images, labels and what the model takes them for."""
    model.eval()
    images, labels = next(iter(DataLoader(digits, batch_size=len(digits))))
    return images, labels, model(images).argmax(dim=1)


def draw_losses(losses, path):
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.semilogy(losses, linewidth=0.8)
    axes.set(title="Cross-entropy while learning to read digits", xlabel="training step", ylabel="loss")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def draw_predictions(images, labels, answers, path):
    """The wrong answers first, then right ones, 32 in all."""
    order = (answers == labels).to(torch.int64).argsort(stable=True)[:32]
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    for axes, index in zip(figure.subplots(4, 8).flat, order.tolist(), strict=True):
        label, answer = labels[index].item(), answers[index].item()
        axes.imshow(images[index, 0].numpy(), cmap="gray_r")
        axes.set_title(f"{answer}" if answer == label else f"{answer}, is {label}", fontsize=9)
        axes.title.set_color("black" if answer == label else "red")
        axes.axis("off")
    figure.suptitle("Held-out digits and what the network takes them for (wrong ones in red)")
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description="Learns to read handwritten digits.")
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="where to write the pictures")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    matplotlib.use("agg")
    options.out.mkdir(parents=True, exist_ok=True)
    graph, curve, predictions = (options.out / name for name in ("graph.svg", "loss.png", "predictions.png"))

    torch.manual_seed(options.seed)
    digits = load()
    learned, held_out = random_split(digits, [len(digits) - HELD_OUT, HELD_OUT])
    print(f"torch {torch.__version__}: {len(learned)} digits to learn from, {len(held_out)} held out")
    model = Net()
    losses = train(model, learned, options.epochs, graph)
    images, labels, answers = read(model, held_out)
    right = (answers == labels).sum().item()
    print(f"read {right} of {len(held_out)} held-out digits: {100 * right / len(held_out):.1f} %")
    draw_losses(losses, curve)
    draw_predictions(images, labels, answers, predictions)
    if hasattr(torch, "draw"):
        print(f"graph of the first training step: {graph.resolve()}")
    print(f"loss curve:  {curve.resolve()}")
    print(f"predictions: {predictions.resolve()}")


if __name__ == "__main__":
    main()
