#!/usr/bin/env python3
"""folder_to_model_ctypes.py FOLDER OUT [NAME=VALUE...]: photographs of a folder to OUT/sparse/0, a model of COLMAP, by the C interface.

Without the package bifocal and without numpy. OUT exists. NAME=VALUE: options of bf_collect()."""
import ctypes
import os
import sys

bf = ctypes.CDLL(os.environ.get("BIFOCAL_C", "libbifocal_c.so.1"))
bf.bf_error.restype = ctypes.c_char_p


class Struct(ctypes.Structure):
    def __init__(self, **members):
        super().__init__(size=ctypes.sizeof(self), **members)


class Progress(Struct):
    _fields_ = [("size", ctypes.c_size_t), ("stage", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("done", ctypes.c_int64), ("total", ctypes.c_int64)]


class Callbacks(Struct):
    _fields_ = [("size", ctypes.c_size_t), ("user", ctypes.c_void_p), ("progress", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Progress))),
                ("is_cancelled", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)), ("note", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p))]


class CollectResult(Struct):
    _fields_ = [("size", ctypes.c_size_t), *((name, ctypes.c_int64) for name in ("images", "features", "left_out", "pairs", "matched", "verified")),
                ("is_resumed", ctypes.c_int32), ("was_complete", ctypes.c_int32)]


class MapResult(Struct):
    _fields_ = [("size", ctypes.c_size_t), *((name, ctypes.c_int64) for name in ("models", "doubted", "written", "images", "points", "observations", "left_out")),
                ("mean_error", ctypes.c_double)]


def call(name, *args):
    function = getattr(bf, name)
    if function(*args) != 0:
        sys.exit(bf.bf_error().decode())


def print_progress(user, progress):
    p = progress.contents
    print(f"\r{p.stage.decode()}: {p.done} {p.unit.decode()}", end="", file=sys.stderr)
    return 0  # another value cancels the call


def options(name, callbacks, settings=()):
    made = ctypes.c_void_p()
    call("bf_options_create", name, ctypes.byref(made))
    for setting in settings:
        option, value = setting.encode().split(b"=")
        call("bf_options_set", made, option, value)
    call("bf_options_set_callbacks", made, ctypes.byref(callbacks))
    return made


folder, out = (os.fsencode(argument) for argument in sys.argv[1:3])
callbacks = Callbacks(progress=Callbacks._fields_[2][1](print_progress))
queue, collected, mapped = ctypes.c_void_p(), CollectResult(), MapResult()
call("bf_queue_open", b"auto", ctypes.byref(queue))
collect, map_ = options(b"collect", callbacks, sys.argv[3:]), options(b"map", callbacks)
call("bf_collect", queue, (ctypes.c_char_p * 1)(folder), ctypes.c_size_t(1), out + b"/photographs.db", collect, ctypes.byref(collected))
call("bf_map", queue, out + b"/photographs.db", folder, out + b"/sparse", map_, ctypes.byref(mapped))
for free, handle in ((bf.bf_options_free, collect), (bf.bf_options_free, map_), (bf.bf_queue_free, queue)):
    free(handle)
print(f"{collected.verified} of {collected.pairs} pairs are verified")
print(f"{os.fsdecode(out)}/sparse/0: {mapped.images} of {collected.images} images, {mapped.points} points, mean error {mapped.mean_error:.2f} px")
sys.exit(0 if mapped.models > 0 else 5)
