/* cuda::barrier, cuda::pipeline and cuda::atomic (libcu++, "Synchronization primitives" and "Extended
   API"). A barrier and a pipeline of the thread block are its barrier; asynchronous copies are done
   where they stand, which a program that waits for them as it must does not see. */
#ifndef KCC_CUDA_ASYNC_H
#define KCC_CUDA_ASYNC_H

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <size_t alignment> struct aligned_size_t {
    static constexpr size_t align = alignment;
    size_t value;
    __KCC_MHD constexpr explicit aligned_size_t(size_t n) : value(n) {}
    __KCC_MHD constexpr operator size_t() const { return value; }
};
template <thread_scope scope, class Completion = void> struct barrier {
    struct arrival_token {};
    unsigned long long __count;
    barrier() = default;
    __KCC_MHD barrier(ptrdiff_t n) : __count(n) {}
    __KCC_M arrival_token arrive(ptrdiff_t = 1) { return {}; }
    __KCC_M void wait(arrival_token&&) const { __syncthreads(); }
    __KCC_M void arrive_and_wait() { __syncthreads(); }
    __KCC_M void arrive_and_drop() {}
    __KCC_M bool try_wait(arrival_token&&) const { __syncthreads(); return true; }
    __KCC_M bool try_wait_parity(bool) const { __syncthreads(); return true; }
    __KCC_M void wait_parity(bool) const { __syncthreads(); }
    friend __KCC_M void init(barrier* b, ptrdiff_t n) { b->__count = n; }
};
namespace device {
template <class B> __KCC_D unsigned long long* barrier_native_handle(B& b) { return &b.__count; }
template <class B> __KCC_D auto barrier_arrive_tx(B& b, ptrdiff_t n, ptrdiff_t) { return b.arrive(n); }
}

enum class pipeline_role { producer, consumer };
template <thread_scope scope, unsigned char stages = 1> struct pipeline_shared_state {};
template <thread_scope scope> struct pipeline {
    __KCC_M void producer_acquire() {}
    __KCC_M void producer_commit() {}
    __KCC_M void consumer_wait() { if (scope == thread_scope_block) __syncthreads(); }
    __KCC_M void consumer_release() {}
    __KCC_M void quit() {}
};
__KCC_D pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class G, thread_scope scope, unsigned char n, class... A>
__KCC_D pipeline<scope> make_pipeline(const G&, pipeline_shared_state<scope, n>*, A...) { return {}; }
template <int n, class P> __KCC_D void pipeline_consumer_wait_prior(P&) {}
template <class T, class N, class S> __KCC_D void memcpy_async(T* to, const T* from, N bytes, S&) {
    __builtin_memcpy((void*)to, (const void*)from, (size_t)bytes);
}
template <class G, class T, class U, class N, class S> __KCC_D void memcpy_async(const G& g, T* to, const U* from, N bytes, S&) {
    cooperative_groups::memcpy_async(g, to, (const T*)from, (size_t)bytes);
}

namespace std {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
}
template <class T> struct __atomic_part {
    static __KCC_M T add(T* p, T v) { return (T)atomicAdd(p, v); }
    template <class F> static __KCC_M T change(T* p, F f) {
        typedef ::std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int> U;
        U old = *(volatile U*)p, seen;
        do { seen = old; old = atomicCAS((U*)p, seen, __builtin_bit_cast(U, f(__builtin_bit_cast(T, seen)))); } while (old != seen);
        return __builtin_bit_cast(T, old);
    }
};
#define __KCC_ATOMIC_METHODS(T, place)                                                                     \
    __KCC_M T load(std::memory_order = std::memory_order_seq_cst) const { return *(const volatile T*)(place); } \
    __KCC_M void store(T v, std::memory_order = std::memory_order_seq_cst) const { *(volatile T*)(place) = v; } \
    __KCC_M operator T() const { return load(); }                                                         \
    __KCC_M T operator=(T v) const { store(v); return v; }                                                \
    __KCC_M T exchange(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::change((T*)(place), [=](T) { return v; }); } \
    __KCC_M T fetch_add(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::add((T*)(place), v); } \
    __KCC_M T fetch_sub(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::add((T*)(place), (T)-v); } \
    __KCC_M T fetch_and(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::change((T*)(place), [=](T o) { return (T)(o & v); }); } \
    __KCC_M T fetch_or(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::change((T*)(place), [=](T o) { return (T)(o | v); }); } \
    __KCC_M T fetch_xor(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::change((T*)(place), [=](T o) { return (T)(o ^ v); }); } \
    __KCC_M T fetch_min(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::change((T*)(place), [=](T o) { return v < o ? v : o; }); } \
    __KCC_M T fetch_max(T v, std::memory_order = std::memory_order_seq_cst) const { return __atomic_part<T>::change((T*)(place), [=](T o) { return o < v ? v : o; }); } \
    __KCC_M T operator++() const { return fetch_add(1) + 1; }                                              \
    __KCC_M T operator++(int) const { return fetch_add(1); }                                               \
    __KCC_M T operator+=(T v) const { return fetch_add(v) + v; }                                           \
    __KCC_M T operator-=(T v) const { return fetch_sub(v) - v; }                                           \
    __KCC_M bool compare_exchange_strong(T& wanted, T v, std::memory_order = std::memory_order_seq_cst, std::memory_order = std::memory_order_seq_cst) const { \
        typedef ::std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int> U;                  \
        U seen = atomicCAS((U*)(place), __builtin_bit_cast(U, wanted), __builtin_bit_cast(U, v));          \
        bool same = seen == __builtin_bit_cast(U, wanted);                                                 \
        wanted = __builtin_bit_cast(T, seen);                                                              \
        return same;                                                                                       \
    }                                                                                                      \
    __KCC_M bool compare_exchange_weak(T& wanted, T v, std::memory_order = std::memory_order_seq_cst, std::memory_order = std::memory_order_seq_cst) const { return compare_exchange_strong(wanted, v); }
template <class T, thread_scope scope = thread_scope_system> struct atomic {
    T __value;
    atomic() = default;
    __KCC_MHD constexpr atomic(T v) : __value(v) {}
    __KCC_ATOMIC_METHODS(T, &__value)
};
template <class T, thread_scope scope = thread_scope_system> struct atomic_ref {
    T* __place;
    __KCC_MHD explicit atomic_ref(T& v) : __place(&v) {}
    __KCC_ATOMIC_METHODS(T, __place)
};
__KCC_D void atomic_thread_fence(std::memory_order, thread_scope = thread_scope_system) { __threadfence(); }
namespace std {
template <class T> using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
}
}

/* Pipeline primitives (cuda_pipeline.h). */
#define __KCC_COPY(size, more, ...)                                                                        \
    case size: asm volatile("cp.async.ca.shared.global [%0], [%1], " #size more ";"                        \
                            :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) __VA_ARGS__ : "memory"); break
__KCC_D void __pipeline_memcpy_async(void* to, const void* from, size_t bytes) {
    switch (bytes) { __KCC_COPY(4, ""); __KCC_COPY(8, ""); __KCC_COPY(16, ""); default: break; }
}
#define __KCC_READ , "r"((unsigned)(bytes - zeros))
__KCC_D void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros) {
    switch (bytes) { __KCC_COPY(4, ", %2", __KCC_READ); __KCC_COPY(8, ", %2", __KCC_READ); __KCC_COPY(16, ", %2", __KCC_READ); default: break; }
}
__KCC_D void __pipeline_wait_prior(size_t groups) {
    switch (groups) {
#define __KCC_WAIT(n) case n: asm volatile("cp.async.wait_group " #n ";" ::: "memory"); break
    __KCC_WAIT(0); __KCC_WAIT(1); __KCC_WAIT(2); __KCC_WAIT(3);
    __KCC_WAIT(4); __KCC_WAIT(5); __KCC_WAIT(6); __KCC_WAIT(7);
    default: asm volatile("cp.async.wait_group 8;" ::: "memory");
    }
}
__KCC_D void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

#endif
