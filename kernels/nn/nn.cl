// Distance of every record to one place, for k-nearest-neighbour search (the host picks the k
// smallest). Plane distance in degrees.

typedef struct latLong {
    float lat;
    float lng;
} LatLong;

__kernel void NearestNeighbor(__global LatLong *d_locations, __global float *d_distances,
                              const int numRecords, const float lat, const float lng)
{
    const int record = get_global_id(0);
    if (record < numRecords) {
        const LatLong place = d_locations[record];
        d_distances[record] = sqrt((lat - place.lat) * (lat - place.lat) +
                                   (lng - place.lng) * (lng - place.lng));
    }
}
