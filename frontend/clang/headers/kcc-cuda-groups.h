/* Cooperative groups (cooperative_groups.h, CUDA C++ programming guide, "Cooperative groups"). Tiles
   of at most a warp work by shuffles and ballots, the thread block by its barrier. The grid's barrier
   is one of the thread block with the flag 4, which whoever runs several thread blocks refuses. */
#ifndef KCC_CUDA_GROUPS_H
#define KCC_CUDA_GROUPS_H

template <class T> __KCC_D unsigned int __match_any_sync(unsigned int, T v) {
    unsigned int left = __activemask(), found = 0;
    while (left) {
        T first = __shfl_sync(~0u, v, __ffs((int)left) - 1);
        unsigned int same = __ballot_sync(~0u, v == first);
        if (v == first) found = same;
        left &= ~same;
    }
    return found;
}
template <class T> __KCC_D unsigned int __match_all_sync(unsigned int, T v, int* all) {
    unsigned int active = __activemask();
    T first = __shfl_sync(~0u, v, __ffs((int)active) - 1);
    *all = __all_sync(~0u, v == first);
    return *all ? active : 0;
}
#define __KCC_REDUCE_SYNC(name, type, expression)                                    \
    __KCC_D type name(unsigned int mask, type a) {                                   \
        unsigned int left = __activemask() & mask;                                   \
        type total = __shfl_sync(~0u, a, __ffs((int)left) - 1);                      \
        for (left &= left - 1; left; left &= left - 1) {                             \
            type b = __shfl_sync(~0u, a, __ffs((int)left) - 1), c = total;           \
            total = expression;                                                      \
        }                                                                            \
        return total;                                                                \
    }
__KCC_REDUCE_SYNC(__reduce_add_sync, int, b + c)
__KCC_REDUCE_SYNC(__reduce_add_sync, unsigned int, b + c)
__KCC_REDUCE_SYNC(__reduce_min_sync, int, min(b, c))
__KCC_REDUCE_SYNC(__reduce_min_sync, unsigned int, min(b, c))
__KCC_REDUCE_SYNC(__reduce_max_sync, int, max(b, c))
__KCC_REDUCE_SYNC(__reduce_max_sync, unsigned int, max(b, c))
__KCC_REDUCE_SYNC(__reduce_and_sync, unsigned int, b & c)
__KCC_REDUCE_SYNC(__reduce_or_sync, unsigned int, b | c)
__KCC_REDUCE_SYNC(__reduce_xor_sync, unsigned int, b ^ c)

namespace cooperative_groups {
template <class T> struct plus { __KCC_MHD T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __KCC_MHD T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __KCC_MHD T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __KCC_MHD T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __KCC_MHD T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __KCC_MHD T operator()(T a, T b) const { return a ^ b; } };

__KCC_D unsigned int __kcc_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__KCC_D unsigned int __kcc_threads() { return blockDim.x * blockDim.y * blockDim.z; }

struct thread_block {
    static __KCC_M void sync() { __syncthreads(); }
    struct arrival_token {};
    static __KCC_M arrival_token barrier_arrive() { return {}; }
    static __KCC_M void barrier_wait(arrival_token&&) { __syncthreads(); }
    static __KCC_M unsigned int thread_rank() { return __kcc_rank(); }
    static __KCC_M unsigned int size() { return __kcc_threads(); }
    static __KCC_M unsigned int num_threads() { return __kcc_threads(); }
    static __KCC_M dim3 group_index() { return blockIdx; }
    static __KCC_M dim3 thread_index() { return threadIdx; }
    static __KCC_M dim3 group_dim() { return blockDim; }
    static __KCC_M dim3 dim_threads() { return blockDim; }
};
struct grid_group {
    __KCC_M void sync() const { __kcc_barrier(7); }
    __KCC_M bool is_valid() const { return true; }
    __KCC_M unsigned long long size() const { return (unsigned long long)num_blocks() * __kcc_threads(); }
    __KCC_M unsigned long long num_threads() const { return size(); }
    __KCC_M unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __KCC_M unsigned long long block_rank() const { return (unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    __KCC_M unsigned long long thread_rank() const { return block_rank() * __kcc_threads() + __kcc_rank(); }
    __KCC_M dim3 dim_blocks() const { return gridDim; }
    __KCC_M dim3 group_dim() const { return gridDim; }
    __KCC_M dim3 block_index() const { return blockIdx; }
};
struct multi_grid_group : grid_group {
    __KCC_M void sync() const { __kcc_refuse_cooperative_grid(); }
    __KCC_M unsigned int grid_rank() const { return 0; }
    __KCC_M unsigned int num_grids() const { return 1; }
};

/* Lanes of a warp named by a mask. */
struct coalesced_group {
    unsigned int mask;
    unsigned int meta_rank = 0, meta_size = 1;
    __KCC_M void sync() const { __syncwarp(); }
    __KCC_M unsigned int size() const { return __popc(mask); }
    __KCC_M unsigned int num_threads() const { return __popc(mask); }
    __KCC_M unsigned int thread_rank() const { return __popc(mask & ((1u << __lane_id()) - 1)); }
    __KCC_M unsigned int meta_group_rank() const { return meta_rank; }
    __KCC_M unsigned int meta_group_size() const { return meta_size; }
    __KCC_M int __lane(unsigned int rank) const {
        unsigned int left = mask;
        for (unsigned int n = 0; n < rank; n++) left &= left - 1;
        return __ffs((int)left) - 1;
    }
    template <class T> __KCC_M T shfl(T v, unsigned int rank) const { return __shfl_sync(mask, v, __lane(rank)); }
    template <class T> __KCC_M T shfl_down(T v, unsigned int d) const {
        unsigned int to = thread_rank() + d;
        return __shfl_sync(mask, v, to < size() ? __lane(to) : (int)__lane_id());
    }
    template <class T> __KCC_M T shfl_up(T v, unsigned int d) const {
        unsigned int own = thread_rank();
        return __shfl_sync(mask, v, own >= d ? __lane(own - d) : (int)__lane_id());
    }
    __KCC_M unsigned int __packed(unsigned int bits) const {
        unsigned int packed = 0, place = 0;
        for (unsigned int left = mask; left; left &= left - 1, place++)
            packed |= (bits >> (__ffs((int)left) - 1) & 1u) << place;
        return packed;
    }
    __KCC_M int any(int p) const { return (__ballot_sync(mask, p) & mask) != 0; }
    __KCC_M int all(int p) const { return (__ballot_sync(mask, p) & mask) == mask; }
    __KCC_M unsigned int ballot(int p) const { return __packed(__ballot_sync(mask, p) & mask); }
    template <class T> __KCC_M unsigned int match_any(T v) const { return __packed(__match_any_sync(mask, v) & mask); }
};

/* Records travel word by word. */
template <class T> inline constexpr bool __kcc_is_word = __is_arithmetic(T) || __is_same(T, __half) ||
    __is_same(T, __half2) || __is_same(T, __nv_bfloat16) || __is_same(T, __nv_bfloat162);
template <class T> struct __kcc_words { unsigned int w[sizeof(T) / 4 ? sizeof(T) / 4 : 1]; };
#define __KCC_TILE_SHUFFLE(name, type)                                                              \
    template <class T> __KCC_M T name(T v, type n) const {                                          \
        if constexpr (__kcc_is_word<T>) return __##name##_sync(~0u, v, n, width);                   \
        else {                                                                                      \
            __kcc_words<T> b = __builtin_bit_cast(__kcc_words<T>, v);                               \
            for (unsigned int i = 0; i < sizeof(T) / 4; i++) b.w[i] = __##name##_sync(~0u, b.w[i], n, width); \
            return __builtin_bit_cast(T, b);                                                        \
        }                                                                                           \
    }
template <unsigned int width, class Parent = void> struct thread_block_tile;
/* A tile of several warps is synchronised with its thread block. */
template <unsigned int width> struct __large_tile {
    static __KCC_M void sync() { __syncthreads(); }
    static __KCC_M unsigned int thread_rank() { return __kcc_rank() & (width - 1); }
    static __KCC_M unsigned int meta_group_rank() { return __kcc_rank() / width; }
    static __KCC_M unsigned int meta_group_size() { return (__kcc_threads() + width - 1) / width; }
    static __KCC_M unsigned int size() { return width; }
    static __KCC_M unsigned int num_threads() { return width; }
    template <class T> static __KCC_M T shfl(T v, unsigned int from) {
        __shared__ T values[1024];
        __syncthreads();
        values[__kcc_rank()] = v;
        __syncthreads();
        return values[(__kcc_rank() & ~(width - 1)) + (from & (width - 1))];
    }
    template <class T> static __KCC_M T shfl_xor(T v, unsigned int d) { return shfl(v, thread_rank() ^ d); }
    template <class T> static __KCC_M T shfl_up(T v, unsigned int d) { return shfl(v, thread_rank() < d ? thread_rank() : thread_rank() - d); }
    template <class T> static __KCC_M T shfl_down(T v, unsigned int d) { return shfl(v, thread_rank() + d < width ? thread_rank() + d : thread_rank()); }
    static __KCC_M int any(int p) { int r = 0; for (unsigned int d = 0; d < width; d += 32) r |= shfl(__any_sync(~0u, p), d); return r; }
    static __KCC_M int all(int p) { return !any(!p); }
};
template <unsigned int width> struct thread_block_tile<width, void> {
    static __KCC_M void sync() { __syncwarp(); }
    static __KCC_M unsigned int thread_rank() { return width == 32 ? __lane_id() : __lane_id() & (width - 1); }
    static __KCC_M unsigned int meta_group_rank() { return __kcc_rank() / width; }
    static __KCC_M unsigned int meta_group_size() { return (__kcc_threads() + width - 1) / width; }
    static __KCC_M unsigned int size() { return width; }
    static __KCC_M unsigned int num_threads() { return width; }
    static __KCC_M unsigned int __base() { return __lane_id() & ~(width - 1); }
    static __KCC_M unsigned int __own(unsigned int bits) { return width == 32 ? bits : bits >> __base() & ((1u << (width & 31)) - 1); }
    __KCC_TILE_SHUFFLE(shfl, int)
    __KCC_TILE_SHUFFLE(shfl_xor, int)
    __KCC_TILE_SHUFFLE(shfl_up, unsigned int)
    __KCC_TILE_SHUFFLE(shfl_down, unsigned int)
    __KCC_M int any(int p) const { return width == 32 ? __any_sync(~0u, p) : __own(__ballot_sync(~0u, p)) != 0; }
    __KCC_M int all(int p) const { return width == 32 ? __all_sync(~0u, p) : __own(__ballot_sync(~0u, !p)) == 0; }
    __KCC_M unsigned int ballot(int p) const { return __own(__ballot_sync(~0u, p)); }
    template <class T> __KCC_M unsigned int match_any(T v) const { return __own(__match_any_sync(~0u, v)); }
};
template <unsigned int width, class Parent> struct thread_block_tile
    : ::std::conditional_t<(width > 32), __large_tile<width>, thread_block_tile<width < 32 ? width : 32, void>> {};
template <unsigned int threads = 1024> struct block_tile_memory {};

/* Any group that is synchronised by one of the two barriers. */
struct thread_group {
    bool whole;
    unsigned int count, rank;
    __KCC_M thread_group(const thread_block&) : whole(true), count(__kcc_threads()), rank(__kcc_rank()) {}
    template <unsigned int width, class P> __KCC_M thread_group(const thread_block_tile<width, P>& t) : whole(false), count(width), rank(t.thread_rank()) {}
    __KCC_M thread_group(const coalesced_group& g) : whole(false), count(g.size()), rank(g.thread_rank()) {}
    __KCC_M void sync() const { if (whole) __syncthreads(); else __syncwarp(); }
    __KCC_M unsigned int size() const { return count; }
    __KCC_M unsigned int num_threads() const { return count; }
    __KCC_M unsigned int thread_rank() const { return rank; }
};
__KCC_D thread_block this_thread_block() { return thread_block(); }
template <unsigned int threads> __KCC_D thread_block this_thread_block(block_tile_memory<threads>&) { return thread_block(); }
__KCC_D grid_group this_grid() { return grid_group(); }
__KCC_D multi_grid_group this_multi_grid() { return multi_grid_group(); }
__KCC_D coalesced_group coalesced_threads() { return coalesced_group{__activemask()}; }
template <unsigned int width, class G> __KCC_D thread_block_tile<width, G> tiled_partition(const G&) { return thread_block_tile<width, G>(); }
template <class G> __KCC_D coalesced_group tiled_partition(const G&, unsigned int width) {
    unsigned int base = __lane_id() & ~(width - 1);
    unsigned int own = width >= 32 ? ~0u : ((1u << width) - 1) << base;
    return coalesced_group{__activemask() & own, __kcc_rank() / width, (__kcc_threads() + width - 1) / width};
}
template <class G, class T> __KCC_D coalesced_group labeled_partition(const G&, T label) { return coalesced_group{__match_any_sync(~0u, label)}; }
template <class G> __KCC_D coalesced_group binary_partition(const G&, bool p) {
    unsigned int yes = __ballot_sync(~0u, p), active = __activemask();
    return coalesced_group{p ? yes : active & ~yes, !p, 2};
}
template <class G> __KCC_D void sync(const G& g) { const_cast<G&>(g).sync(); }
template <class G> __KCC_D unsigned int thread_rank(const G& g) { return const_cast<G&>(g).thread_rank(); }
template <class G> __KCC_D unsigned int group_size(const G& g) { return const_cast<G&>(g).size(); }

template <class G, class T, class F> __KCC_D T reduce(const G& g, T v, F f) {
    if constexpr (__is_same(G, coalesced_group)) {
        T total = g.shfl(v, 0);
        for (unsigned int n = 1; n < g.size(); n++) total = f(total, g.shfl(v, n));
        return total;
    } else {
        for (unsigned int d = g.size() / 2; d; d /= 2) v = f(v, g.shfl_xor(v, d));
        return v;
    }
}
template <class G, class T, class F> __KCC_D T inclusive_scan(const G& g, T v, F f) {
    for (unsigned int d = 1; d < g.size(); d *= 2) {
        T other = g.shfl_up(v, d);
        if (g.thread_rank() >= d) v = f(other, v);
    }
    return v;
}
template <class G, class T> __KCC_D T inclusive_scan(const G& g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class G, class T, class F> __KCC_D T exclusive_scan(const G& g, T v, F f) {
    T before = g.shfl_up(inclusive_scan(g, v, f), 1);
    return g.thread_rank() ? before : T();
}
template <class G, class T> __KCC_D T exclusive_scan(const G& g, T v) { return exclusive_scan(g, v, plus<T>()); }
template <class G, class F> __KCC_D void invoke_one(const G& g, F f) { if (const_cast<G&>(g).thread_rank() == 0) f(); }

template <class G, class T> __KCC_D void memcpy_async(const G& g, T* to, const T* from, size_t bytes) {
    for (size_t n = const_cast<G&>(g).thread_rank(); n < bytes / sizeof(T); n += const_cast<G&>(g).size()) to[n] = from[n];
}
template <class G, class T, class N> __KCC_D void memcpy_async(const G& g, T* to, const T* from, N bytes) { memcpy_async(g, to, from, (size_t)bytes); }
template <class G, class T, class L, class M> __KCC_D void memcpy_async(const G& g, T* to, L room, const T* from, M count) { memcpy_async(g, to, from, (size_t)(room < count ? room : count) * sizeof(T)); }
template <class G> __KCC_D void wait(const G& g) { const_cast<G&>(g).sync(); }
template <unsigned int stages, class G> __KCC_D void wait_prior(const G& g) { const_cast<G&>(g).sync(); }
}

#endif
