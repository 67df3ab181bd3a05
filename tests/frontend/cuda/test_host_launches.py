"""Launches as the host code of a CUDA source has them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kcc.frontend.cuda.host_launches import HostLaunch, host_launches


def only(body: str, before: str = "", **given: int) -> HostLaunch:
    """The one launch of a function with this body."""
    (found,) = host_launches(f"{before}\nint main(int argc, char **argv) {{ {body} }}", given)
    return found


KNOWN = [
    ("k<<<4, 128>>>(p);", (4, 1, 1), (128, 1, 1)),
    ("const int n = 1 << 20, t = 256; k<<<(n + t - 1) / t, t>>>(p, n);", (4096, 1, 1), (256, 1, 1)),
    ("dim3 g(8, 4), b{16, 16}; k<<<g, b>>>(p);", (8, 4, 1), (16, 16, 1)),
    ("dim3 b = dim3(32); dim3 g; k<<<dim3(2, 3, 4), b>>>();", (2, 3, 4), (32, 1, 1)),
    ("dim3 b(16, 16); dim3 g(64 / b.x, 64 / b.y); k<<<g, b>>>();", (4, 4, 1), (16, 16, 1)),
    ("int n = argc > 1 ? atoi(argv[1]) : 1024; k<<<n / 32, 32>>>();", (32, 1, 1), (32, 1, 1)),
    ("int n = 640; if (argc > 1) n = atoi(argv[1]); k<<<n / 64, 64>>>();", (10, 1, 1), (64, 1, 1)),
    ("int n = 10; n = 20; k<<<n, 32>>>();", (20, 1, 1), (32, 1, 1)),
    ("k<<<(int)ceil(1000 / (float)256), 256>>>();", (4, 1, 1), (256, 1, 1)),
    ("k<<<std::min(7, 9), sizeof(float) * 8>>>();", (7, 1, 1), (32, 1, 1)),
    ("for (int i = 0; i < 3; ++i) { k<<<5, 32>>>(i); }", (5, 1, 1), (32, 1, 1)),
    ("int n = 1; { n = 3; } k<<<n, 32>>>();", (3, 1, 1), (32, 1, 1)),
    ("dim3 g(1, 1); g.x = 9; k<<<g, 32>>>();", (9, 1, 1), (32, 1, 1)),
    ("hipLaunchKernelGGL(k, dim3(4, 2), dim3(64), 0, 0, p);", (4, 2, 1), (64, 1, 1)),
    ("auto b = dim3(8, 8); hipLaunchKernelGGL((k<1>), 7, b, 0, s, p);", (7, 1, 1), (8, 8, 1)),
    ("hipLaunchKernelGGL(HIP_KERNEL_NAME(k<T, 2>), 3, 32, 0, 0);", (3, 1, 1), (32, 1, 1)),
    ("int n = 4; for (int i = 0; i < 9; ++i) { n = i; k<<<n, 32>>>(); }", (8, 1, 1), (32, 1, 1)),
    ("int n = 1; n *= 2; k<<<n, 32>>>();", (2, 1, 1), (32, 1, 1)),
    ("int n = 1; if (argc) { n = 2; } k<<<n, 32>>>();", (2, 1, 1), (32, 1, 1)),
    ('printf("k<<<1, 1>>>(;"); /* k<<<2, 2>>>(); */ k<<<3, 32>>>();', (3, 1, 1), (32, 1, 1)),
]


@pytest.mark.parametrize(("body", "grid", "block"), KNOWN, ids=[k[0] for k in KNOWN])
def test_sizes_that_constants_decide(
    body: str, grid: tuple[int, int, int], block: tuple[int, int, int]
):
    found = only(body)
    assert (found.grid, found.block, found.unknown) == (grid, block, frozenset())


def test_what_hip_launches_has_names_and_arguments():
    found = only("hipLaunchKernelGGL((k<float, 4>), 2, 64, 512, 0, p, 3, x);")
    assert (found.kernel, found.name, found.shared_bytes) == ("k", "k<float, 4>", 512)
    assert found.arguments == (None, 3, None)


UNKNOWN = [
    ("int n = atoi(argv[1]); int g = n / 32; k<<<g, 32>>>();", {"n"}),
    ("int n; scanf(0, &n); k<<<n, 32>>>();", {"n"}),
    ("int n = 1; if (rows > 2) n = 2; k<<<n, 32>>>();", {"n"}),
    ("int n = 1; if (rows) go(); else n = 2; k<<<n, 32>>>();", {"n"}),
    ("int n = 1; { int a = 2; } if (rows) { n = 2; } k<<<n, 32>>>();", {"n"}),
    ("k<<<blocks_of(), 32>>>();", set[str]()),
]


@pytest.mark.parametrize(("body", "unknown"), UNKNOWN, ids=[k[0] for k in UNKNOWN])
def test_names_without_a_value_are_said(body: str, unknown: set[str]):
    found = only(body)
    assert (found.grid, found.unknown) == (None, unknown)


def test_given_names_stand_for_what_the_source_says():
    assert only("int n = atoi(argv[1]); k<<<n / 32, 32>>>(n);", n=64).grid == (2, 1, 1)
    assert only("int n = 96; k<<<n / 32, 32>>>(n);", n=64).arguments == (64,)


def test_macros_headers_and_constants_at_file_scope():
    text = "#define T 64\nconstexpr int N = 4 * T;\nvoid go(float *p) { k<<<N / T, W>>>(p); }"
    (found,) = host_launches(text, {}, ["#define W (T / 2)\n#define T 64\n"])
    assert (found.line, found.grid, found.block) == (3, (4, 1, 1), (32, 1, 1))


def test_templates_arguments_and_shared_memory():
    found = only("k<float,2 ><<<1, 32, 4 * 32, s>>>(p, 3, 0.5f, -1, q + 1);")
    assert (found.kernel, found.name, found.shared_bytes) == ("k", "k<float, 2>", 128)
    assert found.arguments == (None, 3, 0.5, -1, None)
    assert only("k<<<1, 32, bytes>>>();").shared_bytes is None


WORDS = (
    "k <<< >>> < > ( ) { } ; , = n int dim3 1 2 9 * / - % << ? : argc atoi #define \" ' // /* */ "
    "for if x.y += ++ & const 1.5f 0x ~ (float) (int) while do switch case default return else [ ] "
    "struct template enum :: -> ## goto break {} try catch 'a' new sizeof auto f( f<2>( && || !"
)
PIECES = st.sampled_from([*WORDS.split(), "\n"])


@given(st.lists(PIECES, max_size=60).map(" ".join))
@example("int main() {" + "n = n * n;" * 200 + "k<<<n, n>>>(); }")
@example("int main() {" + "(" * 1500 + "k<<<1, 1>>>(); }")
def test_any_text_gives_launches_or_none(text: str):
    for each in host_launches(f"void f() {{ {text} }}", {"n": 3}):
        assert (each.grid is None) or min(each.grid) >= 1


PROGRAM = """
template <class T> void test(int n, const int repeat, dim3 block) {
    dim3 grid((n + block.x - 1) / block.x);
    for (int i = 0; i < repeat; i++) k<T><<<grid, block>>>(n, repeat);
}
int main(int argc, char *argv[]) {
    if (argc != 3) { printf("usage"); return 1; }
    int n = 64;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 5) { n = 7; }
    const float scale = argc > 2 ? atof(argv[2]) : 1.5;
    const int repeat = std::stoi(argv[2]);
    other<<<repeat, 32>>>(scale);
    test<float>(n, repeat, dim3(128));
    test<double>(2 * n, repeat, dim3(256));
}
"""


def test_arguments_of_the_program_and_of_functions_that_main_calls() -> None:
    inner, double, other = host_launches(PROGRAM, {}, argv=["100000", "20.5"])
    assert (inner.name, inner.grid, inner.block) == ("k<float>", (782, 1, 1), (128, 1, 1))
    assert (double.name, double.grid, double.block) == ("k<double>", (782, 1, 1), (256, 1, 1))
    assert (inner.arguments, double.arguments) == ((100000, 20), (200000, 20))
    assert (other.grid, other.arguments) == ((20, 1, 1), (20.5,))


def test_without_arguments_the_program_has_its_defaults() -> None:
    inner, _, other = host_launches(PROGRAM, {})
    assert (inner.grid, inner.arguments) == ((1, 1, 1), (64, None))
    assert (other.grid, other.unknown, other.arguments) == (None, {"repeat"}, (1.5,))


def test_arguments_that_are_no_numbers_have_no_value() -> None:
    *_, other = host_launches(PROGRAM, {}, argv=["file.txt", "x"])
    assert (other.grid, other.unknown) == (None, {"repeat"})


def test_what_a_try_block_reads_counts() -> None:
    body = "int n, m; try { n = std::stoi(argv[1]); } catch (...) { } k<<<n, 64>>>(m);"
    (found,) = host_launches(f"int main(int argc, char **argv) {{ {body} }}", {}, argv=["7"])
    assert (found.grid, found.arguments) == ((7, 1, 1), (None,))


INTERPRETED = [
    ("#define UP(a, b) (((a) + (b) - 1) / (b))", "k<<<UP(250, 64), 64>>>();", 4),
    ("#define GO(k, ...) k<<<blocks, 64>>>(__VA_ARGS__)\nint blocks = 7;", "GO(k, 1, 2);", 7),
    ("#define CHECK(x) do { int e = (x); if (e != 0) exit(1); } while (0)",
     "int n = 3; CHECK(cudaMalloc(&p, n)); k<<<n, 64>>>();", 3),
    ("#if 0\nint n = 5;\n#else\nint n = 6;\n#endif", "k<<<n, 64>>>();", 6),
    ("template <class T> T up(T a, T b) { if (a % b == 0) return a / b; return a / b + 1; }",
     "k<<<up(1000, 256), 64>>>();", 4),
    ("int sizes[] = {8, 24, 36};", "k<<<sizes[1] / 2, 64>>>();", 12),
    ("enum { FEW = 3, MORE };", "k<<<MORE, 64>>>();", 4),
    ("struct Size { int x, y = 5; }; struct All { Size s; int n; };",
     "All a; a.n = 3; All *p = &a; p->n += 1; k<<<a.n * a.s.y, 64>>>();", 20),
    ("void set(int &a, int *b) { a = 3; *b = 4; }",
     "int a = 1, b = 1; set(a, &b); k<<<a * b, 64>>>();", 12),
    ("", "int n = 1000, levels = 0; while (n > 1) { n /= 2; levels++; } k<<<levels, 64>>>();", 9),
    ("", "for (int n = 256; n > 0; n >>= 1) k<<<n, 64>>>();", 256),
    ("", "int s[] = {4, 9, 2}; for (int n : s) k<<<n, 64>>>();", 9),
    ("", ("int n; switch (3) { case 2: n = 1; break; case 3: n = 5; break; default: n = 9; } "
     "k<<<n, 64>>>();"), 5),
    ("", "bool big = 3 > 2 && 1; int n = big ? 6 : 7; k<<<n, 64>>>();", 6),
    ("", "float f = 10; k<<<(int)ceilf(f / 4), 64>>>();", 3),
    ("", "unsigned n = 7; auto g = dim3{n, 1, 1}; k<<<g, 64>>>();", 7),
    ("", "std::vector<float> v(100); k<<<v.size() / 10, 64>>>();", 10),
    ("", ("int d; cudaDeviceProp prop; cudaGetDeviceProperties(&prop, d); "
     "k<<<2 * prop.multiProcessorCount, 64>>>();"), 136),
    ("", ("int n; cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0); "
     "k<<<n, 64>>>();"), 68),
]  # fmt: skip


@pytest.mark.parametrize(("before", "body", "blocks"), INTERPRETED, ids=[i[1] for i in INTERPRETED])
def test_host_code_is_interpreted(before: str, body: str, blocks: int):
    text = f"{before}\nint main(int argc, char **argv) {{ {body} }}"
    (found,) = host_launches(text, {}, device={"multiProcessorCount": 68})
    assert (found.grid, found.block, found.unknown) == ((blocks, 1, 1), (64, 1, 1), frozenset())


OPTIONS = """
int n = 16, reps = 1; const char *name;
int main(int argc, char *argv[]) {
    int c;
    while ((c = getopt(argc, argv, "n:r:v")) != -1) {
        switch (c) {
            case 'n': n = atoi(optarg); break;
            case 'r': reps = atoi(optarg); break;
            default: break;
        }
    }
    k<<<n, 32>>>(reps);
}
"""


def test_options_are_read_as_getopt_does() -> None:
    (found,) = host_launches(OPTIONS, {}, argv=["-n", "48", "-v", "-r7"])
    assert (found.grid, found.arguments) == ((48, 1, 1), (7,))
    (found,) = host_launches(OPTIONS, {})
    assert (found.grid, found.arguments) == ((16, 1, 1), (1,))


WORDED = """
int main(int argc, char **argv) {
    int n = 10;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--size") == 0) n = atoi(argv[++i]);
    k<<<n, 32>>>();
}
"""


def test_options_are_compared() -> None:
    assert host_launches(WORDED, {}, argv=["-x", "--size", "77"])[0].grid == (77, 1, 1)
    assert host_launches(WORDED, {}, argv=["-x"])[0].grid == (10, 1, 1)


BLOCK_OF_TEMPLATE = """
template <typename T, int BLOCK = 64> void run(int n) { k<T><<<n / BLOCK, BLOCK>>>(sizeof(T)); }
int main() { run<float, 128>(1024); }
"""


def test_template_arguments_of_host_functions_count() -> None:
    (found,) = host_launches(BLOCK_OF_TEMPLATE, {})
    assert (found.grid, found.block, found.arguments) == ((8, 1, 1), (128, 1, 1), (4,))
    text = BLOCK_OF_TEMPLATE.replace("k<T>", "k<BLOCK, T *>")
    assert host_launches(text, {})[0].name == "k<128, float*>"


def test_ways_not_taken_and_functions_not_called_have_launches_too() -> None:
    text = """
    void never(int n) { c<<<n, 32>>>(); }
    int main() { int n = 3; if (n > 5) { n = 9; a<<<n, 32>>>(); } else b<<<n, 32>>>(); return 0;
                 d<<<4, 32>>>(); }
    """
    found = {each.kernel: each for each in host_launches(text, {})}
    assert [found[k].grid for k in "abd"] == [(9, 1, 1), (3, 1, 1), (4, 1, 1)]
    assert (found["c"].grid, found["c"].unknown) == (None, {"n"})


def test_a_loop_without_end_and_recursion_end() -> None:
    text = "int f(int n) { return f(n + 1); } int main() { int n = f(1); while (1) { n++; } }"
    assert host_launches(text + "void g() { k<<<2, 32>>>(); }", {})[0].grid == (2, 1, 1)
    own = "struct A { A a; int n = 3; }; int main() { A x; k<<<x.n, 32>>>(); }"
    assert host_launches(own, {})[0].grid == (3, 1, 1)
    deep = "int main() { int n = " + "(" * 3000 + "; k<<<1, 32>>>(); }"
    assert host_launches(deep, {}) == []


def test_launches_of_headers_have_no_line() -> None:
    header = "inline void go(int n) { k<<<n, 32>>>(); }"
    (found,) = host_launches("int main() { go(5); }", {}, [header])
    assert (found.line, found.grid) == (0, (5, 1, 1))


CLASSES = """
class Params {
  public:
    int n, blocks;
    Params(int argc, char **argv) : n(7) {
        blocks = 16;
        if (argc > 1) blocks = atoi(argv[1]);
        check();
    }
    void check() { if (blocks % 2) blocks++; }
};
struct Runner {
    Params p;
    void go(int reps) { k<<<p.blocks, 64>>>(p.n, reps); }
    void other();
};
void Runner::other() { o<<<p.n, 32>>>(); }
int main(int argc, char **argv) {
    const Params p(argc, argv);
    Runner *r = new Runner();
    r->p = p;
    r->go(3);
    r->other();
}
"""


def test_classes_have_constructors_and_methods() -> None:
    k, o = host_launches(CLASSES, {}, argv=["9"])
    assert (k.grid, k.arguments, o.grid) == ((10, 1, 1), (7, 3), (7, 1, 1))
    assert host_launches(CLASSES, {})[0].grid == (16, 1, 1)


def test_a_long_loop_leaves_the_rest_to_be_run() -> None:
    body = "for (long i = 0; i < 1 << 30; i++) a[i] = f(i) + g(i) * h(i); "
    check = "#define CHECK(x) do { int e = (x); if (e != ok) exit(1); } while (0)\n"
    after = "int n = 1; CHECK(set(&p)); CHECK(n = 5); k<<<n, 64>>>();"
    text = f"{check}int main() {{ {body * 9} {after} }}"
    assert host_launches(text, {})[0].grid == (5, 1, 1)


def test_no_pointer_is_no_number() -> None:
    assert only("k<<<1, 32>>>(nullptr, 3, NULL);").arguments == (None, 3, None)


def test_many_constants_leave_main_its_steps() -> None:
    header = "".join(f"const int c{n} = {n} + 1;\n" for n in range(20_000))
    (found,) = host_launches("int main() { int n = 3; k<<<n, 32>>>(c5); }", {}, [header])
    assert (found.grid, found.arguments) == ((3, 1, 1), (6,))
