// Build-time parameters of the kernels in srad.cl.

#ifndef SRAD_H
#define SRAD_H

#define fp float

#ifndef NUMBER_THREADS
#define NUMBER_THREADS 256
#endif

#endif
