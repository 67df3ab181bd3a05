/* What hosts use of the C++ library, never run: the types of what they launch kernels with are told
   by it, and a host function that clang accepts needs no repair. What takes a callable has a body,
   since a lambda has no linkage. */
#ifndef KCC_CUDA_CONTAINERS_H
#define KCC_CUDA_CONTAINERS_H

#define __KCC_ANY(name) template <class... A> __host__ void name(A&&...) {}
namespace std {
template <class E> class initializer_list {
    const E* __first;
    size_t __count;
public:
    __host__ __device__ constexpr initializer_list() : __first(nullptr), __count(0) {}
    __host__ __device__ constexpr size_t size() const { return __count; }
    __host__ __device__ constexpr const E* begin() const { return __first; }
    __host__ __device__ constexpr const E* end() const { return __first + __count; }
};
template <class T> struct __sequence {
    typedef T value_type;
    typedef T* iterator;
    typedef const T* const_iterator;
    typedef size_t size_type;
    typedef T& reference;
    __host__ T& operator[](size_t);
    __host__ const T& operator[](size_t) const;
    __host__ T& at(size_t);
    __host__ const T& at(size_t) const;
    __host__ T& front();
    __host__ T& back();
    __host__ const T& front() const;
    __host__ const T& back() const;
    __host__ T* data();
    __host__ const T* data() const;
    __host__ T* begin();
    __host__ T* end();
    __host__ const T* begin() const;
    __host__ const T* end() const;
    __host__ const T* cbegin() const;
    __host__ const T* cend() const;
    __host__ size_t size() const;
    __host__ size_t capacity() const;
    __host__ bool empty() const;
    __KCC_ANY(push_back) __KCC_ANY(push_front) __KCC_ANY(emplace_back) __KCC_ANY(resize) __KCC_ANY(reserve)
    __KCC_ANY(assign) __KCC_ANY(swap) __KCC_ANY(push) __KCC_ANY(emplace)
    __host__ void clear();
    __host__ void pop_back();
    __host__ void pop_front();
    __host__ void pop();
    __host__ T& top();
    __host__ void shrink_to_fit();
    template <class... A> __host__ T* insert(A&&...);
    template <class... A> __host__ T* erase(A&&...);
};
#define __KCC_SEQUENCE(name)                                           \
    template <class T, class... R> struct name : __sequence<T> {       \
        __host__ name();                                               \
        __host__ name(initializer_list<T>);                            \
        template <class... A> __host__ explicit name(A&&...);          \
    };
__KCC_SEQUENCE(vector)
__KCC_SEQUENCE(deque)
__KCC_SEQUENCE(list)
__KCC_SEQUENCE(queue)
__KCC_SEQUENCE(priority_queue)
__KCC_SEQUENCE(stack)
__KCC_SEQUENCE(set)
__KCC_SEQUENCE(unordered_set)
__KCC_SEQUENCE(valarray)
template <class K, class V, class... R> struct map : __sequence<pair<K, V>> {
    __host__ map();
    __host__ map(initializer_list<pair<K, V>>);
    template <class T> __host__ V& operator[](const T&);
    template <class T> __host__ V& at(const T&);
    template <class T> __host__ pair<K, V>* find(const T&);
    template <class T> __host__ size_t count(const T&) const;
};
template <class K, class V, class... R> using unordered_map = map<K, V>;
template <class K, class V, class... R> using multimap = map<K, V>;

struct string : __sequence<char> {
    static constexpr size_t npos = ~(size_t)0;
    __host__ string();
    __host__ string(const char*);
    __host__ string(const char*, size_t);
    __host__ string(size_t, char);
    __host__ const char* c_str() const;
    __host__ size_t length() const;
    template <class... A> __host__ string substr(A...) const;
    template <class... A> __host__ size_t find(A...) const;
    template <class... A> __host__ size_t rfind(A...) const;
    template <class... A> __host__ size_t find_first_of(A...) const;
    template <class... A> __host__ size_t find_last_of(A...) const;
    template <class T> __host__ int compare(const T&) const;
    template <class T> __host__ string& operator+=(const T&);
    template <class T> __host__ string& append(const T&);
};
__host__ string operator+(const string&, const string&);
__host__ string operator+(const string&, const char*);
__host__ string operator+(const char*, const string&);
__host__ string operator+(const string&, char);
#define __KCC_STRINGS(op)                                    \
    __host__ bool operator op(const string&, const string&); \
    __host__ bool operator op(const string&, const char*);
__KCC_STRINGS(==) __KCC_STRINGS(!=) __KCC_STRINGS(<) __KCC_STRINGS(>)
template <class T> __host__ string to_string(T);
__host__ int stoi(const string&, size_t* = 0, int = 10);
__host__ long stol(const string&, size_t* = 0, int = 10);
__host__ float stof(const string&, size_t* = 0);
__host__ double stod(const string&, size_t* = 0);

struct ostream {
    template <class T> __host__ ostream& operator<<(const T&);
    __host__ ostream& operator<<(ostream& (*)(ostream&));
    template <class T> __host__ ostream& operator>>(T&);
    template <class... A> __host__ ostream& write(A...);
    template <class... A> __host__ ostream& read(A...);
    template <class... A> __host__ ostream& getline(A...);
    template <class... A> __host__ ostream& ignore(A...);
    template <class... A> __host__ ostream& seekg(A...);
    __host__ ostream& flush();
    __host__ size_t tellg();
    template <class... A> __host__ int precision(A...);
    template <class... A> __host__ int width(A...);
    template <class... A> __host__ int setf(A...);
    template <class... A> __host__ void open(A...);
    __host__ void close();
    __host__ bool is_open() const;
    __host__ bool good() const;
    __host__ bool eof() const;
    __host__ bool fail() const;
    __host__ string str() const;
    __host__ explicit operator bool() const;
    __host__ bool operator!() const;
};
typedef ostream istream, iostream;
struct fstream : ostream { __host__ fstream(); template <class... A> __host__ fstream(A...); };
typedef fstream ifstream, ofstream, stringstream, ostringstream, istringstream;
extern ostream cout, cerr, clog, cin;
__host__ ostream& endl(ostream&);
__host__ ostream& flush(ostream&);
__host__ ostream& fixed(ostream&);
__host__ ostream& scientific(ostream&);
__host__ ostream& hex(ostream&);
__host__ ostream& dec(ostream&);
__host__ ostream& left(ostream&);
__host__ ostream& right(ostream&);
__host__ ostream& boolalpha(ostream&);
__host__ int setw(int);
__host__ int setprecision(int);
__host__ int setfill(char);
template <class... A> __host__ ostream& getline(ostream&, string&, A...);
struct ios { static constexpr int in = 1, out = 2, binary = 4, app = 8, ate = 16, beg = 0, end = 2, fixed = 1, scientific = 2, left = 3, right = 4; };
typedef ios ios_base;

struct exception { __host__ exception(); __host__ const char* what() const; };
struct runtime_error : exception { template <class... A> __host__ runtime_error(A&&...); };
typedef runtime_error logic_error, invalid_argument, out_of_range, bad_alloc;
template <class T, class... R> struct unique_ptr {
    template <class... A> __host__ unique_ptr(A&&...);
    __host__ T* get() const;
    __host__ T* operator->() const;
    __host__ __remove_extent(T)& operator*() const;
    __host__ __remove_extent(T)& operator[](size_t) const;
    __host__ T* release();
    template <class... A> __host__ void reset(A&&...);
    __host__ explicit operator bool() const;
};
template <class T> using shared_ptr = unique_ptr<T>;
template <class T, class... A> __host__ unique_ptr<T> make_unique(A&&...);
template <class T, class... A> __host__ unique_ptr<T> make_shared(A&&...);
template <class F> struct function;
template <class R, class... P> struct function<R(P...)> {
    template <class... A> __host__ function(A&&...) {}
    __host__ R operator()(P...) const;
    __host__ explicit operator bool() const;
};

template <class... A> struct ratio {};
typedef ratio<void> milli, micro, nano;
namespace chrono {
template <class R = double, class P = void> struct duration {
    template <class... A> __host__ duration(A&&...);
    __host__ R count() const;
    template <class T> __host__ duration& operator+=(const T&);
};
typedef duration<long> seconds, milliseconds, microseconds, nanoseconds;
struct time_point { __host__ duration<double> time_since_epoch() const; };
__host__ duration<double> operator-(const time_point&, const time_point&);
struct steady_clock { typedef chrono::time_point time_point; static __host__ chrono::time_point now(); };
typedef steady_clock high_resolution_clock, system_clock;
template <class T, class D> __host__ T duration_cast(const D&);
}
struct mt19937 {
    template <class... A> __host__ mt19937(A&&...);
    __host__ unsigned int operator()();
    template <class T> __host__ void seed(T);
};
typedef mt19937 mt19937_64, default_random_engine, minstd_rand, random_device;
#define __KCC_DISTRIBUTION(name, kind)                                \
    template <class T = kind> struct name {                           \
        template <class... A> __host__ name(A&&...);                  \
        template <class G> __host__ T operator()(G&);                 \
    };
__KCC_DISTRIBUTION(uniform_real_distribution, double)
__KCC_DISTRIBUTION(uniform_int_distribution, int)
__KCC_DISTRIBUTION(normal_distribution, double)
__KCC_DISTRIBUTION(bernoulli_distribution, bool)
__KCC_DISTRIBUTION(exponential_distribution, double)
__KCC_ANY(sort) __KCC_ANY(stable_sort) __KCC_ANY(fill) __KCC_ANY(fill_n) __KCC_ANY(generate) __KCC_ANY(generate_n)
__KCC_ANY(copy) __KCC_ANY(copy_n) __KCC_ANY(iota) __KCC_ANY(reverse) __KCC_ANY(shuffle) __KCC_ANY(random_shuffle)
__KCC_ANY(transform) __KCC_ANY(for_each) __KCC_ANY(partial_sum) __KCC_ANY(nth_element) __KCC_ANY(rotate)
template <class I, class... A> __host__ I max_element(I first, A&&...) { return first; }
template <class I, class... A> __host__ I min_element(I first, A&&...) { return first; }
template <class I, class T, class... A> __host__ T accumulate(I, I, T start, A&&...) { return start; }
template <class I, class... A> __host__ bool equal(I, A&&...) { return false; }
template <class I, class T> __host__ I find(I, I, const T&);
template <class I, class T> __host__ I lower_bound(I, I, const T&);
template <class I, class T> __host__ I upper_bound(I, I, const T&);
}
#undef __KCC_ANY

namespace thrust {
template <class T> struct device_vector : ::std::__sequence<T> {
    __host__ device_vector();
    template <class... A> __host__ device_vector(A&&...);
    template <class A> __host__ device_vector& operator=(const A&);
};
template <class T> using host_vector = device_vector<T>;
template <class T> __host__ __device__ T* raw_pointer_cast(T*);
template <class T> __host__ T* device_pointer_cast(T*);
}

#endif
