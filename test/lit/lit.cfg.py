# How lit runs the tests below this folder; lit.site.cfg.py of the build tree says with what.
import os

import lit.formats

config.name = "photofinish"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.build_root

config.environment["PATH"] = os.pathsep.join((config.llvm_tools, config.environment["PATH"]))

# The flags with which `photofinish cc` compiles.
compile = (
    "-fsanitize=thread -fno-sanitize-link-runtime -fno-sanitize-link-c++-runtime "
    f"-fpass-plugin={config.plugin}"
)
# Options of the plugin itself are known only when it has been loaded before they are parsed.
options = f"-Xclang -load -Xclang {config.plugin}"

config.substitutions += [
    # The pass alone; its result is verified.
    ("%instrument", f"opt -load-pass-plugin={config.plugin} -passes=photofinish,verify -S"),
    # To LLVM assembly, whole pipeline.
    ("%clang-ir", f"clang {compile} -fno-discard-value-names -S -emit-llvm -o -"),
    ("%clangxx-ir", f"clang++ {compile} -std=c++20 -fno-discard-value-names -S -emit-llvm -o -"),
    ("%clang", f"clang {compile}"),
    ("%plugin-options", options),
    # Checks as calls, which are what tests of their places look at.
    ("%bigfoot", f"{options} -mllvm -photofinish-placement=bigfoot -mllvm -photofinish-inline-checks=false"),
    ("%plugin", config.plugin),
]
