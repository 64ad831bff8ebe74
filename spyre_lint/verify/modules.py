"""Import the modules of linted kernels, inside the worker: packages, plain files, and imports that are not installed.

Only what a kernel's own module needs is run: the packages around it run their `__init__` when something of it is
asked for. A module that is not installed (a kernel file that imports torch for its launcher, say) can be replaced
by an inert one whose attributes accept everything and do nothing; which ones were is reported.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any


class _InertClass(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{cls.__name__}.{name}")


class InertBase(metaclass=_InertClass):
    """What a class is derived from instead of a class of a module that is not installed."""


class Inert:
    """Anything of a module that is not installed. As a decorator it hands the function back unchanged."""

    def __init__(self, name: str) -> None:
        self._inert_name = name

    def __getattr__(self, name: str) -> Inert:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self._inert_name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The one function given, as a decorator would; else this object itself."""
        if len(args) == 1 and not kwargs and (callable(args[0]) or hasattr(args[0], "fn")):
            return args[0]
        return self

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (InertBase,)

    def _itself(self, *_: Any) -> Inert:
        return self

    def _no(self, *_: Any) -> bool:
        return False

    __getitem__ = __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __neg__ = _itself
    __or__ = __ror__ = __and__ = __rand__ = __enter__ = _itself
    __bool__ = __contains__ = __lt__ = __le__ = __gt__ = __ge__ = __exit__ = _no

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __int__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"<{self._inert_name}: not installed>"


class InertModule(ModuleType):
    """Stands for a module that is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__version__ = "99.0.0"  # code that asks for a version asks for a least one

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = Inert(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class InertFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last finder on `sys.meta_path`: a top-level module nobody else finds becomes inert, with all inside it.

    Submodules of packages that are installed stay missing.
    """

    def __init__(self) -> None:
        self.stubbed: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The import system's protocol."""
        top, dot, _ = name.partition(".")
        if dot and not isinstance(sys.modules.get(top), InertModule):
            return None
        self.stubbed.add(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The import system's protocol."""
        return InertModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """The import system's protocol: there is nothing to run."""


class ModuleLoader:
    """Imports each file once; a failure is remembered and raised again."""

    def __init__(self, search_paths: Sequence[str], finder: InertFinder | None) -> None:
        self._loaded: dict[Path, ModuleType | BaseException] = {}
        self._stubbed: dict[Path, tuple[str, ...]] = {}
        self._finder = finder
        sys.path.extend(path for path in search_paths if path not in sys.path)
        if finder is not None:
            sys.meta_path.append(finder)

    def load(self, path: Path) -> ModuleType:
        """The module of the file; raises what its import raised (`SystemExit` too)."""
        known = self._loaded.get(path)
        if known is None:
            try:
                known = self._load(path)
            except (Exception, SystemExit) as error:
                known = error
            self._loaded[path] = known
        if isinstance(known, BaseException):
            raise known
        return known

    def stubbed(self) -> tuple[str, ...]:
        """Top-level modules replaced by inert ones so far, sorted."""
        return tuple(sorted(self._finder.stubbed)) if self._finder is not None else ()

    def _load(self, path: Path) -> ModuleType:
        packages = _packages(path)
        if not packages:
            with _directory_first(path.parent):
                return _run_file(f"_verified_{len(self._loaded)}_{path.stem}", path)
        root = packages[0][1].parent
        if str(root) not in sys.path:
            sys.path.append(str(root))
        dotted = ""
        for package, directory in packages:
            dotted = f"{dotted}.{package}" if dotted else package
            if dotted not in sys.modules:
                _enter_package(dotted, directory)
        return _run_file(dotted if path.stem == "__init__" else f"{dotted}.{path.stem}", path)


def _packages(path: Path) -> list[tuple[str, Path]]:
    """Packages around a file, outermost first, with their directories.

    Directories with an `__init__.py`, and as many as the file's relative imports climb.
    """
    found: list[tuple[str, Path]] = []
    directory = path.parent
    wanted = _relative_levels(path)
    while (directory / "__init__.py").is_file() or len(found) < wanted:
        if not directory.name.isidentifier():
            break
        found.insert(0, (directory.name, directory))
        directory = directory.parent
    return found


def _relative_levels(path: Path) -> int:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return 0  # importing it will say so
    return max((node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), default=0)


class _EnteredPackage(ModuleType):
    """A package that has not run its `__init__` and does so when a name is asked for that no file of it has."""

    def __init__(self, dotted: str, directory: Path) -> None:
        super().__init__(dotted)
        self.__path__ = [str(directory)]
        self.__file__ = str(directory / "__init__.py")
        self.__spec__ = importlib.machinery.ModuleSpec(dotted, None, is_package=True)
        self._entered = False
        self._failure: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        directory = Path(self.__path__[0])
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(name)
        if (directory / f"{name}.py").is_file() or (directory / name).is_dir():
            return importlib.import_module(f"{self.__name__}.{name}")
        self._run_init()
        if name in self.__dict__:
            return self.__dict__[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def _run_init(self) -> None:
        init = Path(str(self.__file__))
        if not self._entered and init.is_file():
            self._entered = True
            try:
                exec(compile(init.read_bytes(), str(init), "exec"), self.__dict__)
            except (Exception, SystemExit) as error:
                self._failure = error
        if self._failure is not None:
            raise ImportError(f"package {self.__name__} can't be imported: {self._failure}") from self._failure


def _enter_package(dotted: str, directory: Path) -> None:
    package = sys.modules[dotted] = _EnteredPackage(dotted, directory)
    parent, _, child = dotted.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, package)


def _run_file(name: str, path: Path) -> ModuleType:
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


@contextmanager
def _directory_first(directory: Path) -> Iterator[None]:
    """Lets a plain file import its neighbours, and forgets them after: the next directory has files of equal names."""
    before = set(sys.modules)
    sys.path.insert(0, str(directory))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(directory))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).parent == directory and not name.startswith("_verified_"):
                del sys.modules[name]


def find_kernel(module: ModuleType, name: str, is_kernel: Callable[[Any], bool]) -> Any:
    """The jit function under this name (dotted for one in a class), other decorators taken off.

    `LookupError` with the reason if there is none.
    """
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise LookupError(f"the module has no {name!r} at its top level") from None
    seen = 0
    while not is_kernel(found) and seen < 16:  # autotuners, heuristics and wrappers are a handful at most
        inner = getattr(found, "fn", None)
        found = inner if inner is not None else getattr(found, "__wrapped__", None)
        seen += 1
    if not is_kernel(found):
        raise LookupError(f"{name!r} is no Triton kernel")
    return found
