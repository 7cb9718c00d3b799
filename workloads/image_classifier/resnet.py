"""ResNet-50 in PyTorch, from ImageNet's weights where it learns images of the world."""

# pyright: reportMissingImports=false
from typing import Any, BinaryIO

import torch
from images import CLASSES, COUNTS, GENERATED, folder_of, generate
from ray.train import get_context
from ray.train.torch import TorchTrainer, get_device, prepare_model
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import datasets, models, transforms

MOMENTUM = 0.9
# Mean and deviation of ImageNet's channels, as torchvision's weights want them.
LIKE_IMAGENET = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
VIEWS = {
    "train": [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip()],
    "val": [transforms.Resize(256), transforms.CenterCrop(224)],
}


class Learner:
    trainer = TorchTrainer

    def __init__(self, data: str, learning_rate: float, *, fresh: bool) -> None:
        torch.manual_seed(0)
        weights, kinds, self.readers = None, CLASSES, 0
        if data == GENERATED:
            self.parts: dict[str, Any] = {part: _generated(part) for part in COUNTS}
        else:
            folder = folder_of(data)
            self.parts = {part: _folder(str(folder / part), view) for part, view in VIEWS.items()}
            # Not its `classes`: cloudpickle takes that name for torch.classes, which has no pickle.
            kinds, self.readers = len(self.parts["train"].class_to_idx), 2
            weights = models.ResNet50_Weights.IMAGENET1K_V1 if fresh else None
        self.bare = models.resnet50(weights=weights)
        self.bare.fc = torch.nn.Linear(self.bare.fc.in_features, kinds)
        self.model, self.device = prepare_model(self.bare), get_device()
        self.optimizer = torch.optim.SGD(
            self.bare.parameters(), lr=learning_rate, momentum=MOMENTUM
        )

    def count(self, part: str) -> int:
        return len(self.parts[part])

    def epoch(self, part: str, batches: list[list[int]], seed: int) -> tuple[float, float]:
        """Mean loss and accuracy, over all workers."""
        torch.manual_seed(seed)
        training = part == "train"
        self.model.train(training)
        sums = torch.zeros(3, device=self.device)  # loss, right ones, images
        loader = DataLoader(self.parts[part], batch_sampler=batches, num_workers=self.readers)
        for images, labels in loader:
            images, labels = images.to(self.device), labels.to(self.device)
            with torch.set_grad_enabled(training):
                logits = self.model(images)
                loss = cross_entropy(logits, labels)
            if training:
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            right = (logits.argmax(1) == labels).sum()
            sums += torch.stack(
                [loss.detach() * len(labels), right, labels.new_tensor(len(labels))]
            )
        if get_context().get_world_size() > 1:
            torch.distributed.all_reduce(sums)
        return float(sums[0] / sums[2]), float(sums[1] / sums[2])

    def save(self, file: BinaryIO) -> None:
        states = {"model": self.bare.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(states, file)

    def load(self, file: BinaryIO) -> None:
        states = torch.load(file, map_location=self.device, weights_only=True)
        self.bare.load_state_dict(states["model"])
        self.optimizer.load_state_dict(states["optimizer"])


def _generated(part: str) -> Dataset[Any]:
    images, labels = map(torch.from_numpy, generate(part))
    return TensorDataset(images.permute(0, 3, 1, 2), labels)


def _folder(folder: str, view: list[Any]) -> Dataset[Any]:
    way = transforms.Compose([*view, transforms.ToTensor(), LIKE_IMAGENET])
    return datasets.ImageFolder(folder, way)
