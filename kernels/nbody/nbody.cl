// Gravitation among all pairs of bodies, one leapfrog step. A body is (x, y, z, mass).
//
//   nbody_sim             positions straight from global memory: uniform loads of all bodies
//   integrateBodies_noMT  positions pass through local memory, one tile of a work-group at a time;
//                         the number of bodies is a multiple of the local size

// The acceleration that `other` adds on a body at `position`.
float3 body_body(float3 acceleration, float4 position, float4 other, float softening_squared)
{
    const float3 apart = other.xyz - position.xyz;
    const float distance_squared = dot(apart, apart) + softening_squared;
    const float inverse = rsqrt(distance_squared);
    return acceleration + apart * (other.w * inverse * inverse * inverse);
}

__kernel void nbody_sim(__global float4 *pos, __global float4 *vel, int numBodies, float deltaTime,
                        float epsSqr, __global float4 *newPosition, __global float4 *newVelocity)
{
    const int i = get_global_id(0);
    if (i >= numBodies) {
        return;
    }
    const float4 position = pos[i];
    float3 acceleration = (float3)(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < numBodies; ++j) {
        acceleration = body_body(acceleration, position, pos[j], epsSqr);
    }

    const float4 velocity = vel[i];
    const float3 moved =
        position.xyz + velocity.xyz * deltaTime + 0.5f * acceleration * deltaTime * deltaTime;
    newPosition[i] = (float4)(moved, position.w);
    newVelocity[i] = (float4)(velocity.xyz + acceleration * deltaTime, velocity.w);
}

__kernel void integrateBodies_noMT(__global float4 *newPos, __global float4 *newVel,
                                   __global float4 *oldPos, __global float4 *oldVel,
                                   float deltaTime, float damping, float softeningSquared,
                                   int numBodies, __local float4 *sharedPos)
{
    const int lid = get_local_id(0);
    const int size = get_local_size(0);
    const int i = get_global_id(0);

    float4 position = oldPos[i];
    float3 acceleration = (float3)(0.0f);
    for (int tile = 0; tile < numBodies; tile += size) {
        sharedPos[lid] = oldPos[tile + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; ++j) {
            acceleration = body_body(acceleration, position, sharedPos[j], softeningSquared);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float4 velocity = oldVel[i];
    velocity.xyz += acceleration * deltaTime;
    velocity.xyz *= damping;
    position.xyz += velocity.xyz * deltaTime;
    newPos[i] = position;
    newVel[i] = velocity;
}
