/* CUB's primitives of warps and thread blocks (CUB documentation, "Warp-wide" and "Block-wide
   collectives"): same interfaces and results. Reductions and scans are those by warps, as
   BLOCK_REDUCE_WARP_REDUCTIONS and BLOCK_SCAN_WARP_SCANS have them, whichever algorithm is asked
   for; sorting goes by digits of four bits. Device-wide algorithms are the host's. */
#ifndef KCC_CUDA_CUB_H
#define KCC_CUDA_CUB_H

namespace cub {
struct NullType {};
struct Sum { template <class A, class B> __KCC_MHD auto operator()(const A& a, const B& b) const { return a + b; } };
struct Difference { template <class A, class B> __KCC_MHD auto operator()(const A& a, const B& b) const { return a - b; } };
struct Max { template <class T> __KCC_MHD T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
struct Min { template <class T> __KCC_MHD T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
struct Equality { template <class T> __KCC_MHD bool operator()(const T& a, const T& b) const { return a == b; } };
struct Inequality { template <class T> __KCC_MHD bool operator()(const T& a, const T& b) const { return a != b; } };
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    KeyValuePair() = default;
    __KCC_MHD KeyValuePair(const K& k, const V& v) : key(k), value(v) {}
};
struct ArgMax {
    template <class K, class V> __KCC_MHD KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V> __KCC_MHD KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <int n> struct Int2Type { static constexpr int VALUE = n; };
template <class T> struct Uninitialized { T __held; __KCC_M T& Alias() { return __held; } };

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier m, class T> __KCC_D T ThreadLoad(const T* p) { return *p; }
template <CacheStoreModifier m, class T> __KCC_D void ThreadStore(T* p, T v) { *p = v; }
__KCC_D unsigned int LaneId() { return __lane_id(); }
__KCC_D unsigned int WarpId() { return cooperative_groups::__kcc_rank() / 32; }
__KCC_D int RowMajorTid(int x, int y, int z) { return (threadIdx.z * y + threadIdx.y) * x + threadIdx.x; }

/* What lane `from` of a warp holds, in words. */
template <class T> __KCC_D T __from_lane(T v, int from) {
    if constexpr (cooperative_groups::__kcc_is_word<T>) return (T)__shfl_sync(~0u, v, from);
    else {
        struct Words { unsigned int w[(sizeof(T) + 3) / 4]; } words;
        __builtin_memcpy(&words, &v, sizeof(T));
        for (unsigned int i = 0; i < sizeof(words) / 4; i++) words.w[i] = __shfl_sync(~0u, words.w[i], from);
        __builtin_memcpy(&v, &words, sizeof(T));
        return v;
    }
}
template <class T, int N, class F> __KCC_D T __of_thread(const T (&v)[N], F f) {
    T total = v[0];
    for (int i = 1; i < N; i++) total = f(total, v[i]);
    return total;
}

template <class T, int width = 32, int arch = 0> struct WarpReduce {
    struct TempStorage {};
    __KCC_M WarpReduce(TempStorage&) {}
    template <class F> __KCC_M T Reduce(T v, F f, int valid = width) {
        int lane = __lane_id(), rank = lane % width;
        for (int d = 1; d < width; d *= 2) {
            T other = __from_lane(v, rank + d < width ? lane + d : lane);
            if (rank + d < valid) v = f(v, other);
        }
        return v;
    }
    __KCC_M T Sum(T v) { return Reduce(v, cub::Sum()); }
    __KCC_M T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    __KCC_M T Max(T v) { return Reduce(v, cub::Max()); }
    __KCC_M T Min(T v) { return Reduce(v, cub::Min()); }
    template <class Flag, class F> __KCC_M T __segmented(T v, Flag flag, F f, int tail) {
        int lane = __lane_id(), rank = lane % width;
        unsigned int ends = __ballot_sync(~0u, flag != 0) >> (tail ? 0 : 1);
        ends = (ends | 1u << (lane - rank + width - 1)) >> lane;
        int last = rank + __ffs((int)ends) - 1;
        for (int d = 1; d < width; d *= 2) {
            T other = __from_lane(v, rank + d < width ? lane + d : lane);
            if (rank + d <= last) v = f(v, other);
        }
        return v;
    }
    template <class Flag> __KCC_M T HeadSegmentedSum(T v, Flag head) { return __segmented(v, head, cub::Sum(), 0); }
    template <class Flag> __KCC_M T TailSegmentedSum(T v, Flag tail) { return __segmented(v, tail, cub::Sum(), 1); }
    template <class Flag, class F> __KCC_M T HeadSegmentedReduce(T v, Flag head, F f) { return __segmented(v, head, f, 0); }
    template <class Flag, class F> __KCC_M T TailSegmentedReduce(T v, Flag tail, F f) { return __segmented(v, tail, f, 1); }
};

template <class T, int width = 32, int arch = 0> struct WarpScan {
    struct TempStorage {};
    __KCC_M WarpScan(TempStorage&) {}
    template <class F> __KCC_M void InclusiveScan(T v, T& out, F f) {
        int lane = __lane_id(), rank = lane % width;
        for (int d = 1; d < width; d *= 2) {
            T other = __from_lane(v, rank >= d ? lane - d : lane);
            if (rank >= d) v = f(other, v);
        }
        out = v;
    }
    __KCC_M T __last(T v) { return __from_lane(v, (int)__lane_id() | (width - 1)); }
    __KCC_M T __before(T v) { int lane = __lane_id(); return __from_lane(v, lane % width ? lane - 1 : lane); }
    template <class F> __KCC_M void InclusiveScan(T v, T& out, F f, T& total) { InclusiveScan(v, out, f); total = __last(out); }
    __KCC_M void InclusiveSum(T v, T& out) { InclusiveScan(v, out, cub::Sum()); }
    __KCC_M void InclusiveSum(T v, T& out, T& total) { InclusiveScan(v, out, cub::Sum(), total); }
    template <class F> __KCC_M void ExclusiveScan(T v, T& out, T first, F f) {
        T all;
        InclusiveScan(v, all, f);
        all = __before(all);
        out = __lane_id() % width ? f(first, all) : first;
    }
    template <class F> __KCC_M void ExclusiveScan(T v, T& out, T first, F f, T& total) {
        T all;
        InclusiveScan(v, all, f);
        total = f(first, __last(all));
        all = __before(all);
        out = __lane_id() % width ? f(first, all) : first;
    }
    template <class F> __KCC_M void ExclusiveScan(T v, T& out, F f) { T all; InclusiveScan(v, all, f); out = __before(all); }
    __KCC_M void ExclusiveSum(T v, T& out) { ExclusiveScan(v, out, T(), cub::Sum()); }
    __KCC_M void ExclusiveSum(T v, T& out, T& total) { ExclusiveScan(v, out, T(), cub::Sum(), total); }
    __KCC_M T Broadcast(T v, unsigned int from) { return __from_lane(v, ((int)__lane_id() & ~(width - 1)) + from); }
};

/* What all collectives of thread blocks share: their storage and the rank of a thread. */
#define __KCC_CUB_BLOCK(name)                                                                    \
    TempStorage& temp;                                                                           \
    int rank;                                                                                    \
    static __KCC_M TempStorage& __own() { __shared__ TempStorage storage; return storage; }      \
    __KCC_M name() : temp(__own()), rank(cooperative_groups::__kcc_rank()) {}                    \
    __KCC_M name(TempStorage& t) : temp(t), rank(cooperative_groups::__kcc_rank()) {}            \
    __KCC_M name(TempStorage& t, int id) : temp(t), rank(id) {}

template <class T, int bx, BlockReduceAlgorithm algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int by = 1, int bz = 1, int arch = 0>
struct BlockReduce {
    static constexpr int threads = bx * by * bz, warps = (threads + 31) / 32;
    struct __Storage { T totals[warps]; };
    typedef Uninitialized<__Storage> TempStorage;
    __KCC_CUB_BLOCK(BlockReduce)
    template <class F> __KCC_M T Reduce(T v, F f, int valid = threads) {
        int warp = rank / 32, left = valid - warp * 32;
        typename WarpReduce<T>::TempStorage none;
        v = WarpReduce<T>(none).Reduce(v, f, left < 32 ? left : 32);
        if (warps == 1) return v;
        if (rank % 32 == 0) temp.__held.totals[warp] = v;
        __syncthreads();
        if (rank == 0)
            for (int i = 1; i < warps; i++) {
                T other = temp.__held.totals[i];
                if (i * 32 < valid) v = f(v, other);
            }
        return v;
    }
    template <int N, class F> __KCC_M T Reduce(T (&v)[N], F f) { return Reduce(__of_thread(v, f), f); }
    __KCC_M T Sum(T v) { return Reduce(v, cub::Sum()); }
    __KCC_M T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    template <int N> __KCC_M T Sum(T (&v)[N]) { return Reduce(v, cub::Sum()); }
};

template <class T, int bx, BlockScanAlgorithm algorithm = BLOCK_SCAN_RAKING, int by = 1, int bz = 1, int arch = 0>
struct BlockScan {
    static constexpr int threads = bx * by * bz, warps = (threads + 31) / 32;
    struct __Storage { T totals[warps]; T prefix; };
    typedef Uninitialized<__Storage> TempStorage;
    __KCC_CUB_BLOCK(BlockScan)
    /* The combination of all values before this thread's, of which thread 0 has none. */
    template <class F> __KCC_M T __scan(T v, F f, T& before, T& total) {
        typename WarpScan<T>::TempStorage none;
        T all;
        WarpScan<T>(none).InclusiveScan(v, all, f);
        before = __from_lane(all, (int)(__lane_id() ? __lane_id() - 1 : 0));
        int warp = rank / 32;
        if (rank % 32 == 31 || rank == threads - 1) temp.__held.totals[warp] = all;
        __syncthreads();
        total = temp.__held.totals[0];
        T prefix = total;
        for (int i = 1; i < warps; i++) {
            if (i == warp) prefix = total;
            T other = temp.__held.totals[i];
            total = f(total, other);
        }
        if (warp) {
            before = __lane_id() ? f(prefix, before) : prefix;
            all = f(prefix, all);
        }
        return all;
    }
    template <class F> __KCC_M void InclusiveScan(T v, T& out, F f, T& total) { T before; out = __scan(v, f, before, total); }
    template <class F> __KCC_M void InclusiveScan(T v, T& out, F f) { T total; InclusiveScan(v, out, f, total); }
    template <class F> __KCC_M void ExclusiveScan(T v, T& out, T first, F f, T& total) {
        T before;
        __scan(v, f, before, total);
        out = rank ? f(first, before) : first;
        total = f(first, total);
    }
    template <class F> __KCC_M void ExclusiveScan(T v, T& out, T first, F f) { T total; ExclusiveScan(v, out, first, f, total); }
    template <class F> __KCC_M void ExclusiveScan(T v, T& out, F f) { T total; __scan(v, f, out, total); }
    template <class F> __KCC_M void ExclusiveScan(T v, T& out, F f, T& total) { __scan(v, f, out, total); }
    template <class F, class P> __KCC_M T __prefix(P& callback, T total) {
        if (rank < 32) {
            T first = callback(total);
            if (rank == 0) temp.__held.prefix = first;
        }
        __syncthreads();
        return temp.__held.prefix;
    }
    template <class P> __KCC_M void ExclusiveSum(T v, T& out, P& callback) {
        T before, total;
        __scan(v, cub::Sum(), before, total);
        T first = __prefix<cub::Sum>(callback, total);
        out = rank ? first + before : first;
    }
    template <class P> __KCC_M void InclusiveSum(T v, T& out, P& callback) {
        T before, total, all = __scan(v, cub::Sum(), before, total);
        out = __prefix<cub::Sum>(callback, total) + all;
    }
    __KCC_M void InclusiveSum(T v, T& out) { InclusiveScan(v, out, cub::Sum()); }
    __KCC_M void InclusiveSum(T v, T& out, T& total) { InclusiveScan(v, out, cub::Sum(), total); }
    __KCC_M void ExclusiveSum(T v, T& out) { ExclusiveScan(v, out, T(), cub::Sum()); }
    __KCC_M void ExclusiveSum(T v, T& out, T& total) { ExclusiveScan(v, out, T(), cub::Sum(), total); }
    /* Several values per thread: first those of a thread, then over threads. */
    template <int N, class F> __KCC_M void InclusiveScan(T (&v)[N], T (&out)[N], F f, T& total) {
        T before, sum = __of_thread(v, f);
        __scan(sum, f, before, total);
        T running = rank ? f(before, v[0]) : v[0];
        for (int i = 0; i < N; i++) {
            if (i) running = f(running, v[i]);
            out[i] = running;
        }
    }
    template <int N, class F> __KCC_M void ExclusiveScan(T (&v)[N], T (&out)[N], T first, F f, T& total) {
        T before, sum = __of_thread(v, f);
        __scan(sum, f, before, total);
        T running = rank ? f(first, before) : first;
        for (int i = 0; i < N; i++) {
            T next = f(running, v[i]);
            out[i] = running;
            running = next;
        }
        total = f(first, total);
    }
    template <int N, class F> __KCC_M void InclusiveScan(T (&v)[N], T (&out)[N], F f) { T total; InclusiveScan(v, out, f, total); }
    template <int N, class F> __KCC_M void ExclusiveScan(T (&v)[N], T (&out)[N], T first, F f) { T total; ExclusiveScan(v, out, first, f, total); }
    template <int N> __KCC_M void InclusiveSum(T (&v)[N], T (&out)[N]) { T total; InclusiveScan(v, out, cub::Sum(), total); }
    template <int N> __KCC_M void InclusiveSum(T (&v)[N], T (&out)[N], T& total) { InclusiveScan(v, out, cub::Sum(), total); }
    template <int N> __KCC_M void ExclusiveSum(T (&v)[N], T (&out)[N]) { T total; ExclusiveScan(v, out, T(), cub::Sum(), total); }
    template <int N> __KCC_M void ExclusiveSum(T (&v)[N], T (&out)[N], T& total) { ExclusiveScan(v, out, T(), cub::Sum(), total); }
};

template <class T, int bx, int N, bool sliced = false, int by = 1, int bz = 1, int arch = 0> struct BlockExchange {
    static constexpr int threads = bx * by * bz;
    struct __Storage { T items[threads * N]; };
    typedef Uninitialized<__Storage> TempStorage;
    __KCC_CUB_BLOCK(BlockExchange)
    __KCC_M void StripedToBlocked(T (&v)[N], T (&out)[N]) {
        for (int i = 0; i < N; i++) temp.__held.items[i * threads + rank] = v[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = temp.__held.items[rank * N + i];
    }
    __KCC_M void BlockedToStriped(T (&v)[N], T (&out)[N]) {
        for (int i = 0; i < N; i++) temp.__held.items[rank * N + i] = v[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = temp.__held.items[i * threads + rank];
    }
    template <class R> __KCC_M void ScatterToBlocked(T (&v)[N], T (&out)[N], R (&ranks)[N]) {
        for (int i = 0; i < N; i++) temp.__held.items[ranks[i]] = v[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = temp.__held.items[rank * N + i];
    }
    template <class R> __KCC_M void ScatterToStriped(T (&v)[N], T (&out)[N], R (&ranks)[N]) {
        for (int i = 0; i < N; i++) temp.__held.items[ranks[i]] = v[i];
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = temp.__held.items[i * threads + rank];
    }
    __KCC_M void StripedToBlocked(T (&v)[N]) { StripedToBlocked(v, v); }
    __KCC_M void BlockedToStriped(T (&v)[N]) { BlockedToStriped(v, v); }
    template <class R> __KCC_M void ScatterToBlocked(T (&v)[N], R (&ranks)[N]) { ScatterToBlocked(v, v, ranks); }
    template <class R> __KCC_M void ScatterToStriped(T (&v)[N], R (&ranks)[N]) { ScatterToStriped(v, v, ranks); }
};

template <class I, class T, int N> __KCC_D void LoadDirectBlocked(int rank, I from, T (&v)[N]) { for (int i = 0; i < N; i++) v[i] = from[rank * N + i]; }
template <class I, class T, int N> __KCC_D void LoadDirectBlocked(int rank, I from, T (&v)[N], int valid) { for (int i = 0; i < N; i++) if (rank * N + i < valid) v[i] = from[rank * N + i]; }
template <class I, class T, int N, class D> __KCC_D void LoadDirectBlocked(int rank, I from, T (&v)[N], int valid, D other) { for (int i = 0; i < N; i++) v[i] = rank * N + i < valid ? (T)from[rank * N + i] : (T)other; }
template <int threads, class I, class T, int N> __KCC_D void LoadDirectStriped(int rank, I from, T (&v)[N]) { for (int i = 0; i < N; i++) v[i] = from[i * threads + rank]; }
template <int threads, class I, class T, int N> __KCC_D void LoadDirectStriped(int rank, I from, T (&v)[N], int valid) { for (int i = 0; i < N; i++) if (i * threads + rank < valid) v[i] = from[i * threads + rank]; }
template <int threads, class I, class T, int N, class D> __KCC_D void LoadDirectStriped(int rank, I from, T (&v)[N], int valid, D other) { for (int i = 0; i < N; i++) v[i] = i * threads + rank < valid ? (T)from[i * threads + rank] : (T)other; }
template <class O, class T, int N> __KCC_D void StoreDirectBlocked(int rank, O to, T (&v)[N]) { for (int i = 0; i < N; i++) to[rank * N + i] = v[i]; }
template <class O, class T, int N> __KCC_D void StoreDirectBlocked(int rank, O to, T (&v)[N], int valid) { for (int i = 0; i < N; i++) if (rank * N + i < valid) to[rank * N + i] = v[i]; }
template <int threads, class O, class T, int N> __KCC_D void StoreDirectStriped(int rank, O to, T (&v)[N]) { for (int i = 0; i < N; i++) to[i * threads + rank] = v[i]; }
template <int threads, class O, class T, int N> __KCC_D void StoreDirectStriped(int rank, O to, T (&v)[N], int valid) { for (int i = 0; i < N; i++) if (i * threads + rank < valid) to[i * threads + rank] = v[i]; }

template <class T, int bx, int N, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int by = 1, int bz = 1, int arch = 0>
struct BlockLoad {
    static constexpr int threads = bx * by * bz;
    static constexpr bool transposed = algorithm >= BLOCK_LOAD_TRANSPOSE;
    typedef BlockExchange<T, bx, N, false, by, bz> Exchange;
    struct __None {};
    typedef ::std::conditional_t<transposed, typename Exchange::TempStorage, __None> TempStorage;
    __KCC_CUB_BLOCK(BlockLoad)
    template <class I, class... A> __KCC_M void Load(I from, T (&v)[N], A... bounds) {
        if constexpr (algorithm == BLOCK_LOAD_DIRECT || algorithm == BLOCK_LOAD_VECTORIZE) LoadDirectBlocked(rank, from, v, bounds...);
        else LoadDirectStriped<threads>(rank, from, v, bounds...);
        if constexpr (transposed) Exchange(temp, rank).StripedToBlocked(v);
    }
};
template <class T, int bx, int N, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int by = 1, int bz = 1, int arch = 0>
struct BlockStore {
    static constexpr int threads = bx * by * bz;
    static constexpr bool transposed = algorithm >= BLOCK_STORE_TRANSPOSE;
    typedef BlockExchange<T, bx, N, false, by, bz> Exchange;
    struct __None {};
    typedef ::std::conditional_t<transposed, typename Exchange::TempStorage, __None> TempStorage;
    __KCC_CUB_BLOCK(BlockStore)
    template <class O, class... A> __KCC_M void Store(O to, T (&v)[N], A... bounds) {
        if constexpr (transposed) Exchange(temp, rank).BlockedToStriped(v);
        if constexpr (algorithm == BLOCK_STORE_DIRECT || algorithm == BLOCK_STORE_VECTORIZE) StoreDirectBlocked(rank, to, v, bounds...);
        else StoreDirectStriped<threads>(rank, to, v, bounds...);
    }
};

template <class T, int bx, int by = 1, int bz = 1, int arch = 0> struct BlockDiscontinuity {
    static constexpr int threads = bx * by * bz;
    struct __Storage { T edge[threads]; };
    typedef Uninitialized<__Storage> TempStorage;
    __KCC_CUB_BLOCK(BlockDiscontinuity)
    template <class Flag, int N, class F> __KCC_M void FlagHeads(Flag (&flags)[N], T (&v)[N], F f) {
        temp.__held.edge[rank] = v[N - 1];
        __syncthreads();
        flags[0] = rank ? (Flag)f(temp.__held.edge[rank - 1], v[0]) : (Flag)1;
        for (int i = 1; i < N; i++) flags[i] = (Flag)f(v[i - 1], v[i]);
    }
    template <class Flag, int N, class F> __KCC_M void FlagTails(Flag (&flags)[N], T (&v)[N], F f) {
        temp.__held.edge[rank] = v[0];
        __syncthreads();
        for (int i = 0; i + 1 < N; i++) flags[i] = (Flag)f(v[i], v[i + 1]);
        flags[N - 1] = rank + 1 < threads ? (Flag)f(v[N - 1], temp.__held.edge[rank + 1]) : (Flag)1;
    }
};

template <class T, int bx, int by = 1, int bz = 1, int arch = 0> struct BlockAdjacentDifference {
    static constexpr int threads = bx * by * bz;
    struct __Storage { T edge[threads]; };
    typedef Uninitialized<__Storage> TempStorage;
    __KCC_CUB_BLOCK(BlockAdjacentDifference)
    template <int N, class O, class F> __KCC_M void __left(T (&in)[N], O (&out)[N], F f, int valid, bool ahead, T before) {
        temp.__held.edge[rank] = in[N - 1];
        __syncthreads();
        for (int i = N - 1; i > 0; i--) out[i] = rank * N + i < valid ? f(in[i], in[i - 1]) : in[i];
        if (rank * N >= valid || !(rank || ahead)) out[0] = in[0];
        else {
            if (rank) before = temp.__held.edge[rank - 1];
            out[0] = f(in[0], before);
        }
    }
    template <int N, class O, class F> __KCC_M void __right(T (&in)[N], O (&out)[N], F f, int valid, bool behind, T after) {
        temp.__held.edge[rank] = in[0];
        __syncthreads();
        for (int i = 0; i + 1 < N; i++) out[i] = rank * N + i + 1 < valid ? f(in[i], in[i + 1]) : in[i];
        bool inside = rank + 1 < threads && (rank + 1) * N < valid;
        if (inside) after = temp.__held.edge[rank + 1];
        out[N - 1] = inside || (behind && rank + 1 == threads) ? f(in[N - 1], after) : in[N - 1];
    }
    template <int N, class O, class F> __KCC_M void SubtractLeft(T (&in)[N], O (&out)[N], F f) { __left(in, out, f, threads * N, false, T()); }
    template <int N, class O, class F> __KCC_M void SubtractLeft(T (&in)[N], O (&out)[N], F f, T before) { __left(in, out, f, threads * N, true, before); }
    template <int N, class O, class F> __KCC_M void SubtractLeftPartialTile(T (&in)[N], O (&out)[N], F f, int valid) { __left(in, out, f, valid, false, T()); }
    template <int N, class O, class F> __KCC_M void SubtractLeftPartialTile(T (&in)[N], O (&out)[N], F f, int valid, T before) { __left(in, out, f, valid, true, before); }
    template <int N, class O, class F> __KCC_M void SubtractRight(T (&in)[N], O (&out)[N], F f) { __right(in, out, f, threads * N, false, T()); }
    template <int N, class O, class F> __KCC_M void SubtractRight(T (&in)[N], O (&out)[N], F f, T after) { __right(in, out, f, threads * N, true, after); }
    template <int N, class O, class F> __KCC_M void SubtractRightPartialTile(T (&in)[N], O (&out)[N], F f, int valid) { __right(in, out, f, valid, false, T()); }
};

template <class T, int bx, int N, int bins, BlockHistogramAlgorithm algorithm = BLOCK_HISTO_SORT, int by = 1, int bz = 1, int arch = 0>
struct BlockHistogram {
    static constexpr int threads = bx * by * bz;
    struct TempStorage {};
    __KCC_CUB_BLOCK(BlockHistogram)
    template <class C> __KCC_M void InitHistogram(C (&counts)[bins]) { for (int i = rank; i < bins; i += threads) counts[i] = 0; }
    template <class C> __KCC_M void Composite(T (&v)[N], C (&counts)[bins]) { for (int i = 0; i < N; i++) atomicAdd(counts + v[i], (C)1); }
    template <class C> __KCC_M void Histogram(T (&v)[N], C (&counts)[bins]) { InitHistogram(counts); __syncthreads(); Composite(v, counts); }
};

/* A key as the unsigned number that orders like it. */
template <int bytes> struct __Bits;
template <> struct __Bits<1> { typedef unsigned char type; };
template <> struct __Bits<2> { typedef unsigned short type; };
template <> struct __Bits<4> { typedef unsigned int type; };
template <> struct __Bits<8> { typedef unsigned long long type; };
template <class K> struct __Key {
    typedef typename __Bits<sizeof(K)>::type U;
    static constexpr U top = (U)1 << (sizeof(K) * 8 - 1);
    static __KCC_M U in(K k) {
        U b = __builtin_bit_cast(U, k);
        if (__is_floating_point(K)) return b & top ? (U)~b : (U)(b | top);
        return __is_signed(K) ? (U)(b ^ top) : b;
    }
    static __KCC_M K out(U b) {
        if (__is_floating_point(K)) b = b & top ? (U)(b ^ top) : (U)~b;
        else if (__is_signed(K)) b = b ^ top;
        return __builtin_bit_cast(K, b);
    }
};
template <class K, int bx, int N, class V = NullType, int digit = 4, bool memoize = true, BlockScanAlgorithm inner = BLOCK_SCAN_WARP_SCANS, int bank = 0, int by = 1, int bz = 1, int arch = 0>
struct BlockRadixSort {
    static constexpr int threads = bx * by * bz, digits = 1 << digit;
    typedef typename __Key<K>::U U;
    typedef BlockScan<unsigned int, bx, inner, by, bz> Scan;
    struct __Storage {
        unsigned int counts[digits * threads];
        typename Scan::TempStorage scan;
        typename BlockExchange<U, bx, N, false, by, bz>::TempStorage keys;
        typename BlockExchange<V, bx, N, false, by, bz>::TempStorage values;
    };
    typedef Uninitialized<__Storage> TempStorage;
    __KCC_CUB_BLOCK(BlockRadixSort)
    template <bool down, bool striped, bool paired> __KCC_M void __sort(K (&k)[N], V (&v)[N], int first, int end) {
        U bits[N];
        for (int i = 0; i < N; i++) bits[i] = down ? (U)~__Key<K>::in(k[i]) : __Key<K>::in(k[i]);
        unsigned int* counts = temp.__held.counts;
        for (int shift = first; shift < end; shift += digit) {
            unsigned int mask = (1u << (end - shift < digit ? end - shift : digit)) - 1, ranks[N], before[digits];
            for (int d = 0; d < digits; d++) counts[d * threads + rank] = 0;
            for (int i = 0; i < N; i++) ranks[i] = counts[((unsigned int)(bits[i] >> shift) & mask) * threads + rank]++;
            __syncthreads();
            for (int d = 0; d < digits; d++) before[d] = counts[rank * digits + d];
            Scan(temp.__held.scan, rank).ExclusiveSum(before, before);
            for (int d = 0; d < digits; d++) counts[rank * digits + d] = before[d];
            __syncthreads();
            for (int i = 0; i < N; i++) ranks[i] += counts[((unsigned int)(bits[i] >> shift) & mask) * threads + rank];
            bool last = striped && shift + digit >= end;
            BlockExchange<U, bx, N, false, by, bz> keys(temp.__held.keys, rank);
            if (last) keys.ScatterToStriped(bits, ranks); else keys.ScatterToBlocked(bits, ranks);
            if constexpr (paired) {
                BlockExchange<V, bx, N, false, by, bz> values(temp.__held.values, rank);
                if (last) values.ScatterToStriped(v, ranks); else values.ScatterToBlocked(v, ranks);
            }
            __syncthreads();
        }
        for (int i = 0; i < N; i++) k[i] = __Key<K>::out(down ? (U)~bits[i] : bits[i]);
    }
#define __KCC_SORT(name, down, striped)                                                           \
    __KCC_M void name(K (&k)[N], int first = 0, int end = sizeof(K) * 8) { V none[N]; __sort<down, striped, false>(k, none, first, end); } \
    __KCC_M void name(K (&k)[N], V (&v)[N], int first = 0, int end = sizeof(K) * 8) { __sort<down, striped, true>(k, v, first, end); }
    __KCC_SORT(Sort, false, false)
    __KCC_SORT(SortDescending, true, false)
    __KCC_SORT(SortBlockedToStriped, false, true)
    __KCC_SORT(SortDescendingBlockedToStriped, true, true)
};
}

#endif
