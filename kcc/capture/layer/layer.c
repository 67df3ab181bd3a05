/* An OpenCL layer (Khronos' cl_layer.h; loaded by what OPENCL_LAYERS names) that logs what a host
 * program asks of OpenCL, in order, and passes everything on to the installed implementation.
 *
 * KCC_CAPTURE          the file's name, to which the process's number is added
 * KCC_CAPTURE_MAX      bytes after which the log ends
 * KCC_CAPTURE_OUTPUTS  n: of each kernel the memory objects after launch 0, n, 2n ... ; 0: of none
 * KCC_CAPTURE_AS_GPU   "ITEMS,BYTES": CPUs call themselves GPUs with that limit of a work-group and
 *                      that much local memory
 * KCC_CAPTURE_POCL_CPU a processor that PoCL 3.0 builds for where it does not know the host's
 *
 * A call is logged when it has succeeded, before it returns: what happens before what is as the
 * host's threads see it. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS

#include "log.h"
#include "objects.h"

static cl_icd_dispatch below, layer;
static const cl_icd_dispatch *next = &below;
static unsigned long outputs_every, launches;
static int pending_user_events; /* while there are some, waiting for a queue may last for ever */
static size_t gpu_items, gpu_local_bytes;

#define BEGIN pthread_mutex_lock(&lock)
#define END pthread_mutex_unlock(&lock)
#define THREE(v) (v)[0], (v)[1], (v)[2]

static void refuse(const char *what) {
    BEGIN;
    log_line("refused what=%s", what);
    END;
}

/* ---- CPUs as GPUs ---- */

static int is_cpu(cl_device_id device) {
    cl_device_type type = 0;
    next->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return type & CL_DEVICE_TYPE_CPU && !(type & CL_DEVICE_TYPE_GPU);
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *devices, cl_uint *count) {
    cl_int status = next->clGetDeviceIDs(platform, type, room, devices, count);
    if (status == CL_DEVICE_NOT_FOUND && gpu_items && type & CL_DEVICE_TYPE_GPU)
        return next->clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, room, devices, count);
    return status;
}

static cl_context CL_API_CALL create_context_from_type(
    const cl_context_properties *properties, cl_device_type type,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *status) {
    cl_int own;
    cl_context made = next->clCreateContextFromType(properties, type, notify, data, &own);
    if (own == CL_DEVICE_NOT_FOUND && gpu_items && type & CL_DEVICE_TYPE_GPU)
        made = next->clCreateContextFromType(properties, CL_DEVICE_TYPE_CPU, notify, data, &own);
    if (status)
        *status = own;
    return made;
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t room,
                                          void *value, size_t *size) {
    cl_int status = next->clGetDeviceInfo(device, what, room, value, size);
    if (status != CL_SUCCESS || !value || !gpu_items || !is_cpu(device))
        return status;
    size_t *sizes = value;
    if (what == CL_DEVICE_TYPE)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    else if (what == CL_DEVICE_LOCAL_MEM_TYPE)
        *(cl_device_local_mem_type *)value = CL_LOCAL;
    else if (what == CL_DEVICE_LOCAL_MEM_SIZE && *(cl_ulong *)value > gpu_local_bytes)
        *(cl_ulong *)value = gpu_local_bytes;
    else if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE && *sizes > gpu_items)
        *sizes = gpu_items;
    else if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        for (size_t i = 0; i < room / sizeof *sizes && i < 3; i++)
            sizes[i] = sizes[i] < gpu_items ? sizes[i] : gpu_items;
    return status;
}

static cl_int CL_API_CALL get_kernel_work_group_info(cl_kernel kernel, cl_device_id device,
                                                     cl_kernel_work_group_info what, size_t room,
                                                     void *value, size_t *size) {
    cl_int status = next->clGetKernelWorkGroupInfo(kernel, device, what, room, value, size);
    if (status == CL_SUCCESS && value && gpu_items && what == CL_KERNEL_WORK_GROUP_SIZE)
        if (*(size_t *)value > gpu_items)
            *(size_t *)value = gpu_items;
    return status;
}

/* ---- programs and kernels ---- */

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                             const size_t *lengths, cl_int *status) {
    cl_program made = next->clCreateProgramWithSource(context, count, texts, lengths, status);
    if (!made)
        return made;
    BEGIN;
    size_t size = 0;
    for (cl_uint i = 0; i < count; i++)
        size += lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
    char name[NAME_BYTES], *source = malloc(size + 1), *end = source;
    for (cl_uint i = 0; source && i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
        memcpy(end, texts[i], length);
        end += length;
    }
    const char *kept = put_data(name, source, size);
    log_line("program id=%d source=%s", remember(made, PROGRAM)->number, kept);
    free(source);
    END;
    return made;
}

/* PoCL 3.0 calls a processor newer than its LLVM "generic", a name that its clang then refuses. The
 * word of its record of the device that points there gets another name; memory is read by way of
 * the system, since most words of the record point nowhere. */
static void name_processor(cl_program program, const char *name) {
    cl_device_id devices[16] = {0};
    static const char unknown[] = "generic";
    FILE *memory = name ? fopen("/proc/self/mem", "rb") : NULL;
    next->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, NULL);
    for (size_t n = 0; memory && n < 16 && devices[n]; n++)
        for (uintptr_t place = (uintptr_t)devices[n]; place < (uintptr_t)devices[n] + 4096; place += 8) {
            uintptr_t word = 0;
            char text[sizeof unknown] = "";
            if (pread(fileno(memory), &word, sizeof word, place) == sizeof word &&
                pread(fileno(memory), text, sizeof text, word) == sizeof text && !memcmp(text, unknown, sizeof text))
                *(const char **)place = name;
        }
    if (memory)
        fclose(memory);
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id *devices,
                                        const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    name_processor(program, getenv("KCC_CAPTURE_POCL_CPU"));
    cl_int status = next->clBuildProgram(program, count, devices, options, notify, data);
    BEGIN;
    char name[NAME_BYTES];
    const char *given = options ? options : "";
    const char *kept = put_data(name, given, strlen(given));
    if (status == CL_SUCCESS)
        log_line("build id=%d options=%s", number_of(program), kept);
    END;
    return status;
}

static void note_kernel(cl_kernel kernel, cl_program program, const char *name) {
    Object *made = remember(kernel, KERNEL);
    made->name = strdup(name);
    made->count = launches_of(name);
    if (next->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof made->arguments, &made->arguments, NULL))
        made->arguments = 0;
    made->memory = calloc(made->arguments + 1, sizeof *made->memory);
    log_line("kernel id=%d program=%d name=%s", made->number, number_of(program), name);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *status) {
    cl_kernel made = next->clCreateKernel(program, name, status);
    BEGIN;
    if (made)
        note_kernel(made, program, name);
    END;
    return made;
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint room, cl_kernel *kernels,
                                         cl_uint *count) {
    cl_uint own = 0;
    cl_int status = next->clCreateKernelsInProgram(program, room, kernels, &own);
    if (count)
        *count = own;
    BEGIN;
    for (cl_uint i = 0; status == CL_SUCCESS && kernels && i < own; i++) {
        char name[4096] = "";
        next->clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        note_kernel(kernels[i], program, name);
    }
    END;
    return status;
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int *status) {
    cl_kernel made = next->clCloneKernel(source, status);
    Object *from;
    BEGIN;
    if (made && (from = find(source, KERNEL, KERNEL))) {
        Object *clone = remember(made, KERNEL);
        clone->name = strdup(from->name);
        clone->count = from->count;
        clone->arguments = from->arguments;
        clone->memory = calloc(from->arguments + 1, sizeof *clone->memory);
        memcpy(clone->memory, from->memory, from->arguments * sizeof *clone->memory);
        log_line("clone id=%d kernel=%d", clone->number, from->number);
    }
    END;
    return made;
}

/* Of a value as large as a pointer nobody here knows whether it is one: the log has the bytes and
 * the object that has this handle, and whoever knows the kernel's parameters takes one of them. */
static cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, size_t size,
                                         const void *value) {
    cl_int status = next->clSetKernelArg(kernel, index, size, value);
    if (status != CL_SUCCESS)
        return status;
    BEGIN;
    Object *to = find(kernel, KERNEL, KERNEL);
    char *bytes = value ? malloc(2 * size + 1) : NULL;
    void *handle = NULL;
    if (value && size == sizeof handle)
        memcpy(&handle, value, size);
    if (to && index < to->arguments)
        to->memory[index] = memory_object(handle) ? handle : NULL;
    if (bytes)
        hexadecimal(bytes, value, size);
    log_line("arg id=%d index=%u size=%zu value=%s object=%d", to ? to->number : 0, index, size,
             bytes ? bytes : "-", number_of(handle));
    free(bytes);
    END;
    return status;
}

/* ---- launches ---- */

static void log_output(cl_command_queue queue, cl_uint index, cl_mem memory) {
    Object *object = memory_object(memory);
    char name[NAME_BYTES];
    void *bytes = malloc(object->size ? object->size : 1);
    if (bytes && next->clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, object->size, bytes, 0, NULL,
                                           NULL) == CL_SUCCESS) {
        const char *kept = put_data(name, bytes, object->size);
        log_line("output launch=%lu index=%u object=%d data=%s", launches, index, object->number, kept);
    }
    free(bytes);
}

static void log_launch(cl_command_queue queue, cl_kernel handle, cl_uint dimensions,
                       const size_t *offset, const size_t *global, const size_t *local) {
    static const size_t zero[3];
    const size_t *from = offset ? offset : zero;
    size_t g[3] = {1, 1, 1}, l[3] = {0, 0, 0}, o[3] = {0, 0, 0};
    Object *kernel = find(handle, KERNEL, KERNEL);
    for (cl_uint i = 0; i < dimensions && i < 3; i++)
        g[i] = global[i], l[i] = local ? local[i] : 0, o[i] = from[i];
    log_line("launch number=%lu kernel=%d dimensions=%u global=%zu,%zu,%zu local=%zu,%zu,%zu "
             "offset=%zu,%zu,%zu", launches, kernel ? kernel->number : 0, dimensions,
             THREE(g), THREE(l), THREE(o));
    unsigned long count = kernel ? (*kernel->count)++ : 1;
    if (kernel && is_logging() && outputs_every && count % outputs_every == 0 && !pending_user_events) {
        next->clFinish(queue);
        for (cl_uint i = 0; i < kernel->arguments; i++)
            if (memory_object(kernel->memory[i]))
                log_output(queue, i, kernel->memory[i]);
    }
    launches++;
    if (is_logging())
        fflush(capture.file);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint waits, const cl_event *list, cl_event *event) {
    cl_int status = next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                                 waits, list, event);
    BEGIN;
    if (status == CL_SUCCESS)
        log_launch(queue, kernel, dimensions, offset, global, local);
    END;
    return status;
}

static cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                                      const cl_event *list, cl_event *event) {
    static const size_t one[1] = {1};
    cl_int status = next->clEnqueueTask(queue, kernel, waits, list, event);
    BEGIN;
    if (status == CL_SUCCESS)
        log_launch(queue, kernel, 1, NULL, one, one);
    END;
    return status;
}

static cl_event CL_API_CALL create_user_event(cl_context context, cl_int *status) {
    cl_event made = next->clCreateUserEvent(context, status);
    BEGIN;
    pending_user_events += made != NULL;
    END;
    return made;
}

static cl_int CL_API_CALL set_user_event(cl_event event, cl_int value) {
    cl_int status = next->clSetUserEventStatus(event, value);
    BEGIN;
    pending_user_events -= status == CL_SUCCESS;
    END;
    return status;
}

/* ---- buffers ---- */

static void note_buffer(cl_mem made, cl_mem_flags flags, size_t size, const void *host) {
    char name[NAME_BYTES];
    Object *object = remember(made, BUFFER);
    object->size = size;
    const char *kept = put_data(name, host, size);
    log_line("buffer id=%d flags=%llu size=%zu data=%s", object->number, (unsigned long long)flags,
             size, kept);
}

/* Memory that nobody has written holds what an implementation left there; a replay has zeros, and so
   has the program then: what launches leave can be compared. */
static void *zeros(cl_mem_flags flags, size_t size, const void *host) {
    return host || flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? NULL : calloc(1, size);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                        cl_int *status) {
    void *empty = zeros(flags, size, host);
    cl_mem made = next->clCreateBuffer(context, empty ? flags | CL_MEM_COPY_HOST_PTR : flags, size,
                                       empty ? empty : host, status);
    free(empty);
    BEGIN;
    if (made)
        note_buffer(made, flags, size, host);
    END;
    return made;
}

static cl_mem CL_API_CALL create_buffer_with(cl_context context, const cl_mem_properties *properties,
                                             cl_mem_flags flags, size_t size, void *host,
                                             cl_int *status) {
    void *empty = zeros(flags, size, host);
    cl_mem made = next->clCreateBufferWithProperties(
        context, properties, empty ? flags | CL_MEM_COPY_HOST_PTR : flags, size, empty ? empty : host,
        status);
    free(empty);
    BEGIN;
    if (made)
        note_buffer(made, flags, size, host);
    END;
    return made;
}

static cl_mem CL_API_CALL create_sub_buffer(cl_mem parent, cl_mem_flags flags,
                                            cl_buffer_create_type type, const void *info,
                                            cl_int *status) {
    cl_mem made = next->clCreateSubBuffer(parent, flags, type, info, status);
    BEGIN;
    if (made && type == CL_BUFFER_CREATE_TYPE_REGION) {
        const cl_buffer_region *region = info;
        Object *object = remember(made, BUFFER);
        object->size = region->size;
        log_line("subbuffer id=%d parent=%d flags=%llu origin=%zu size=%zu", object->number,
                 number_of(parent), (unsigned long long)flags, region->origin, region->size);
    }
    END;
    return made;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                       size_t offset, size_t size, const void *host, cl_uint waits,
                                       const cl_event *list, cl_event *event) {
    cl_int status =
        next->clEnqueueWriteBuffer(queue, memory, blocking, offset, size, host, waits, list, event);
    BEGIN;
    char name[NAME_BYTES];
    const char *kept = status == CL_SUCCESS ? put_data(name, host, size) : "-";
    if (status == CL_SUCCESS)
        log_line("write id=%d offset=%zu size=%zu data=%s", number_of(memory), offset, size, kept);
    END;
    return status;
}

/* The bytes that a box of host memory begins after, and how many it spans. */
static size_t span_of(const size_t *region, size_t row, size_t slice) {
    return (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
}

static cl_int CL_API_CALL write_buffer_rect(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                            const size_t *origin, const size_t *host_origin,
                                            const size_t *region, size_t row, size_t slice,
                                            size_t host_row, size_t host_slice, const void *host,
                                            cl_uint waits, const cl_event *list, cl_event *event) {
    cl_int status = next->clEnqueueWriteBufferRect(queue, memory, blocking, origin, host_origin, region,
                                                   row, slice, host_row, host_slice, host, waits, list,
                                                   event);
    if (status != CL_SUCCESS)
        return status;
    BEGIN;
    char name[NAME_BYTES];
    size_t rows = host_row ? host_row : region[0], slices = host_slice ? host_slice : rows * region[1];
    size_t first = host_origin[2] * slices + host_origin[1] * rows + host_origin[0];
    const char *kept = put_data(name, (const char *)host + first, span_of(region, rows, slices));
    log_line("writerect id=%d origin=%zu,%zu,%zu region=%zu,%zu,%zu pitches=%zu,%zu host=%zu,%zu data=%s",
             number_of(memory), THREE(origin), THREE(region), row, slice, rows, slices, kept);
    END;
    return status;
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                      size_t to_offset, size_t size, cl_uint waits, const cl_event *list,
                                      cl_event *event) {
    cl_int status = next->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, waits, list,
                                              event);
    BEGIN;
    if (status == CL_SUCCESS)
        log_line("copy from=%d to=%d from_offset=%zu to_offset=%zu size=%zu", number_of(from),
                 number_of(to), from_offset, to_offset, size);
    END;
    return status;
}

static cl_int CL_API_CALL copy_buffer_rect(cl_command_queue queue, cl_mem from, cl_mem to,
                                           const size_t *from_origin, const size_t *to_origin,
                                           const size_t *region, size_t from_row, size_t from_slice,
                                           size_t to_row, size_t to_slice, cl_uint waits,
                                           const cl_event *list, cl_event *event) {
    cl_int status = next->clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region,
                                                  from_row, from_slice, to_row, to_slice, waits, list,
                                                  event);
    BEGIN;
    if (status == CL_SUCCESS)
        log_line("copyrect from=%d to=%d from_origin=%zu,%zu,%zu to_origin=%zu,%zu,%zu "
                 "region=%zu,%zu,%zu from_pitches=%zu,%zu to_pitches=%zu,%zu", number_of(from),
                 number_of(to), THREE(from_origin), THREE(to_origin), THREE(region), from_row, from_slice,
                 to_row, to_slice);
    END;
    return status;
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem memory, const void *pattern,
                                      size_t length, size_t offset, size_t size, cl_uint waits,
                                      const cl_event *list, cl_event *event) {
    cl_int status =
        next->clEnqueueFillBuffer(queue, memory, pattern, length, offset, size, waits, list, event);
    BEGIN;
    if (status == CL_SUCCESS && length <= 128) {
        char text[257];
        hexadecimal(text, pattern, length);
        log_line("fill id=%d offset=%zu size=%zu pattern=%s", number_of(memory), offset, size, text);
    }
    END;
    return status;
}

static cl_int CL_API_CALL retain_memory(cl_mem memory) {
    cl_int status = next->clRetainMemObject(memory);
    BEGIN;
    Object *object = memory_object(memory);
    if (object && status == CL_SUCCESS)
        object->references++;
    END;
    return status;
}

static cl_int CL_API_CALL release_memory(cl_mem memory) {
    BEGIN;
    Object *object = memory_object(memory);
    if (object && --object->references == 0) {
        log_line("free id=%d", object->number);
        forget(object);
    }
    END;
    return next->clReleaseMemObject(memory);
}

/* ---- maps ---- */

static Map *new_map(cl_mem memory, cl_map_flags flags, const void *start) {
    Map *made = calloc(1, sizeof *made);
    if (!made)
        abort();
    made->start = start;
    made->memory = memory;
    made->number = number_of(memory);
    made->writes = (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
    made->next = maps;
    return maps = made;
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                    cl_map_flags flags, size_t offset, size_t size, cl_uint waits,
                                    const cl_event *list, cl_event *event, cl_int *status) {
    void *start = next->clEnqueueMapBuffer(queue, memory, blocking, flags, offset, size, waits, list,
                                           event, status);
    if (!start)
        return start;
    BEGIN;
    Map *made = new_map(memory, flags, start);
    made->offset = offset, made->size = size;
    END;
    return start;
}

/* What the host wrote is there when it unmaps. */
static cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void *start, cl_uint waits,
                                const cl_event *list, cl_event *event) {
    BEGIN;
    Map **place = &maps;
    while (*place && ((*place)->start != start || (*place)->memory != memory))
        place = &(*place)->next;
    Map *found = *place;
    if (found) {
        char name[NAME_BYTES];
        *place = found->next;
        if (found->writes) {
            const char *kept = put_data(name, start, found->size);
            log_line("write id=%d offset=%zu size=%zu data=%s", found->number, found->offset, found->size,
                     kept);
        }
        free(found);
    }
    END;
    return next->clEnqueueUnmapMemObject(queue, memory, start, waits, list, event);
}

/* ---- what a capture does not hold ---- */

#define REFUSED(type, name, parameters, values) \
    static type CL_API_CALL refused_##name parameters { \
        refuse("cl" #name); \
        return next->cl##name values; \
    }

REFUSED(cl_program, CreateProgramWithBinary,
        (cl_context a, cl_uint b, const cl_device_id *c, const size_t *d, const unsigned char **e,
         cl_int *f, cl_int *g), (a, b, c, d, e, f, g))
REFUSED(cl_program, CreateProgramWithIL, (cl_context a, const void *b, size_t c, cl_int *d),
        (a, b, c, d))
REFUSED(cl_program, CreateProgramWithBuiltInKernels,
        (cl_context a, cl_uint b, const cl_device_id *c, const char *d, cl_int *e), (a, b, c, d, e))
REFUSED(cl_program, LinkProgram,
        (cl_context a, cl_uint b, const cl_device_id *c, const char *d, cl_uint e, const cl_program *f,
         void(CL_CALLBACK *g)(cl_program, void *), void *h, cl_int *i), (a, b, c, d, e, f, g, h, i))
REFUSED(void *, SVMAlloc, (cl_context a, cl_svm_mem_flags b, size_t c, cl_uint d), (a, b, c, d))
REFUSED(cl_int, SetKernelArgSVMPointer, (cl_kernel a, cl_uint b, const void *c), (a, b, c))
REFUSED(cl_mem, CreatePipe,
        (cl_context a, cl_mem_flags b, cl_uint c, cl_uint d, const cl_pipe_properties *e, cl_int *f),
        (a, b, c, d, e, f))
REFUSED(cl_int, EnqueueNativeKernel,
        (cl_command_queue a, void(CL_CALLBACK *b)(void *), void *c, size_t d, cl_uint e, const cl_mem *f,
         const void **g, cl_uint h, const cl_event *i, cl_event *j), (a, b, c, d, e, f, g, h, i, j))
REFUSED(cl_mem, CreateImage,
        (cl_context a, cl_mem_flags b, const cl_image_format *c, const cl_image_desc *d, void *e,
         cl_int *f), (a, b, c, d, e, f))
REFUSED(cl_mem, CreateImageWithProperties,
        (cl_context a, const cl_mem_properties *b, cl_mem_flags c, const cl_image_format *d,
         const cl_image_desc *e, void *f, cl_int *g), (a, b, c, d, e, f, g))
REFUSED(cl_mem, CreateImage2D,
        (cl_context a, cl_mem_flags b, const cl_image_format *c, size_t d, size_t e, size_t f, void *g,
         cl_int *h), (a, b, c, d, e, f, g, h))
REFUSED(cl_mem, CreateImage3D,
        (cl_context a, cl_mem_flags b, const cl_image_format *c, size_t d, size_t e, size_t f, size_t g,
         size_t h, void *i, cl_int *j), (a, b, c, d, e, f, g, h, i, j))
REFUSED(cl_sampler, CreateSampler,
        (cl_context a, cl_bool b, cl_addressing_mode c, cl_filter_mode d, cl_int *e), (a, b, c, d, e))
REFUSED(cl_sampler, CreateSamplerWithProperties,
        (cl_context a, const cl_sampler_properties *b, cl_int *c), (a, b, c))

static void *CL_API_CALL extension(const char *name) {
    if (!strcmp(name, "clCreateProgramWithILKHR"))
        refuse(name);
    return next->clGetExtensionFunctionAddress(name);
}

static void *CL_API_CALL extension_for(cl_platform_id platform, const char *name) {
    if (!strcmp(name, "clCreateProgramWithILKHR"))
        refuse(name);
    return next->clGetExtensionFunctionAddressForPlatform(platform, name);
}

/* ---- the layer ---- */

static void intercept_objects(void) {
    layer.clGetDeviceIDs = get_device_ids;
    layer.clGetDeviceInfo = get_device_info;
    layer.clCreateContextFromType = create_context_from_type;
    layer.clGetKernelWorkGroupInfo = get_kernel_work_group_info;
    layer.clCreateProgramWithSource = create_program;
    layer.clBuildProgram = build_program;
    layer.clCreateKernel = create_kernel;
    layer.clCreateKernelsInProgram = create_kernels;
    layer.clCloneKernel = clone_kernel;
    layer.clSetKernelArg = set_kernel_arg;
    layer.clCreateBuffer = create_buffer;
    layer.clCreateBufferWithProperties = create_buffer_with;
    layer.clCreateSubBuffer = create_sub_buffer;
    layer.clRetainMemObject = retain_memory;
    layer.clReleaseMemObject = release_memory;
    layer.clCreateUserEvent = create_user_event;
    layer.clSetUserEventStatus = set_user_event;
}

static void intercept_commands(void) {
    layer.clEnqueueNDRangeKernel = launch;
    layer.clEnqueueTask = launch_task;
    layer.clEnqueueWriteBuffer = write_buffer;
    layer.clEnqueueWriteBufferRect = write_buffer_rect;
    layer.clEnqueueCopyBuffer = copy_buffer;
    layer.clEnqueueCopyBufferRect = copy_buffer_rect;
    layer.clEnqueueFillBuffer = fill_buffer;
    layer.clEnqueueMapBuffer = map_buffer;
    layer.clEnqueueUnmapMemObject = unmap;
}

static void intercept_refused(void) {
    layer.clCreateProgramWithBinary = refused_CreateProgramWithBinary;
    layer.clCreateProgramWithIL = refused_CreateProgramWithIL;
    layer.clCreateProgramWithBuiltInKernels = refused_CreateProgramWithBuiltInKernels;
    layer.clLinkProgram = refused_LinkProgram;
    layer.clSVMAlloc = refused_SVMAlloc;
    layer.clSetKernelArgSVMPointer = refused_SetKernelArgSVMPointer;
    layer.clCreatePipe = refused_CreatePipe;
    layer.clEnqueueNativeKernel = refused_EnqueueNativeKernel;
    layer.clCreateImage = refused_CreateImage;
    layer.clCreateImageWithProperties = refused_CreateImageWithProperties;
    layer.clCreateImage2D = refused_CreateImage2D;
    layer.clCreateImage3D = refused_CreateImage3D;
    layer.clCreateSampler = refused_CreateSampler;
    layer.clCreateSamplerWithProperties = refused_CreateSamplerWithProperties;
    layer.clGetExtensionFunctionAddress = extension;
    layer.clGetExtensionFunctionAddressForPlatform = extension_for;
}

__attribute__((destructor)) static void finish(void) {
    if (is_logging()) {
        put_line((char[]){"end"});
        if (capture.file)
            stop_log();
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value,
                                               size_t *size) {
    static const char name[] = "kcc capture";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = what == CL_LAYER_NAME ? (const void *)name : &version;
    size_t own = what == CL_LAYER_NAME ? sizeof name : sizeof version;
    if (what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION)
        return CL_INVALID_VALUE;
    if (value && room < own)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, own);
    if (size)
        *size = own;
    return CL_SUCCESS;
}

static unsigned long long setting(const char *name, unsigned long long otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                            cl_uint *own_count, const cl_icd_dispatch **own) {
    const char *name = getenv("KCC_CAPTURE"), *limits = getenv("KCC_CAPTURE_AS_GPU");
    const cl_uint places = sizeof layer / sizeof layer.clGetPlatformIDs;
    char path[4096];
    if (!target || !own_count || !own || (size_t)count * sizeof(void *) <= offsetof(cl_icd_dispatch, clEnqueueFillImage))
        return CL_INVALID_VALUE;
    memcpy(&below, target, (count < places ? count : places) * sizeof(void *));
    layer = below;
    intercept_objects();
    intercept_commands();
    intercept_refused();
    outputs_every = setting("KCC_CAPTURE_OUTPUTS", 1);
    if (limits)
        sscanf(limits, "%zu,%zu", &gpu_items, &gpu_local_bytes);
    if (name && snprintf(path, sizeof path, "%s.%d", name, (int)getpid()) < (int)sizeof path) {
        start_log(path, setting("KCC_CAPTURE_MAX", UINT64_MAX));
        log_line("kcc-capture version=1");
    }
    *own_count = count < places ? count : places;
    *own = &layer;
    return CL_SUCCESS;
}
