/* What the log calls OpenCL's objects: numbers, in the order in which they are made. */
#include <CL/cl_layer.h>

typedef enum { BUFFER, PROGRAM, KERNEL } Kind;

typedef struct Object {
    struct Object *next;
    const void *handle;
    Kind kind;
    int number, references;
    size_t size;          /* bytes of a buffer */
    char *name;           /* of a kernel */
    cl_mem *memory;       /* of a kernel: the memory object each argument is set to */
    cl_uint arguments;    /* length of that */
    unsigned long *count; /* launches of kernels of its name */
} Object;

typedef struct Map {
    struct Map *next;
    const void *start;
    cl_mem memory;
    int number; /* of the object */
    int writes;
    size_t offset, size;
} Map;

#define CHAINS 4096
static Object *objects[CHAINS];
static Map *maps;
static int last_number;

static Object **chain_of(const void *handle) {
    return &objects[((uintptr_t)handle >> 4) * 2654435761u % CHAINS];
}

static Object *find(const void *handle, Kind first, Kind last) {
    for (Object *each = handle ? *chain_of(handle) : NULL; each; each = each->next)
        if (each->handle == handle && each->kind >= first && each->kind <= last)
            return each;
    return NULL;
}

static Object *memory_object(const void *handle) { return find(handle, BUFFER, BUFFER); }

/* The number of an object, 0 where it is none that was seen. */
static int number_of(const void *handle) {
    Object *found = find(handle, BUFFER, KERNEL);
    return found ? found->number : 0;
}

static void forget(Object *object) {
    Object **place = chain_of(object->handle);
    while (*place != object)
        place = &(*place)->next;
    *place = object->next;
    free(object->name);
    free(object->memory);
    free(object);
}

static Object *remember(const void *handle, Kind kind) {
    Object *old, *made = calloc(1, sizeof *made);
    while ((old = find(handle, BUFFER, KERNEL)))
        forget(old);
    if (!made)
        abort();
    made->handle = handle, made->kind = kind, made->number = ++last_number, made->references = 1;
    made->next = *chain_of(handle);
    *chain_of(handle) = made;
    return made;
}

/* How often kernels of a name were launched. */
static unsigned long *launches_of(const char *name) {
    static struct Count {
        struct Count *next;
        unsigned long launches;
        char name[];
    } *counts;
    struct Count *each = counts;
    while (each && strcmp(each->name, name))
        each = each->next;
    if (!each) {
        each = calloc(1, sizeof *each + strlen(name) + 1);
        if (!each)
            abort();
        strcpy(each->name, name);
        each->next = counts;
        counts = each;
    }
    return &each->launches;
}
