; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func float @_Z5rsqrtf(float) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z14get_local_sizej(i32) local_unnamed_addr #0

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32) local_unnamed_addr #1

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @nbody_sim(ptr addrspace(1) readonly captures(none) %pos, ptr addrspace(1) readonly captures(none) %vel, i32 %numBodies, float %deltaTime, float %epsSqr, ptr addrspace(1) writeonly captures(none) %newPosition, ptr addrspace(1) writeonly captures(none) %newVelocity) local_unnamed_addr #2 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4.not = icmp sgt i32 %numBodies, %v1
  br i1 %v4.not, label %if.end, label %return

if.end:                                           ; preds = %entry
  %v7 = sext i32 %v1 to i64
  %v8 = getelementptr inbounds <4 x float>, ptr addrspace(1) %pos, i64 %v7
  %v9 = load <4 x float>, ptr addrspace(1) %v8, align 16
  %v1216 = icmp sgt i32 %numBodies, 0
  br i1 %v1216, label %for.body, label %for.end

for.body:                                         ; preds = %if.end, %for.body
  %acceleration.018 = phi <3 x float> [ %v24.i, %for.body ], [ zeroinitializer, %if.end ]
  %j.017 = phi i32 [ %v23, %for.body ], [ 0, %if.end ]
  %v17 = zext nneg i32 %j.017 to i64
  %v18 = getelementptr inbounds nuw <4 x float>, ptr addrspace(1) %pos, i64 %v17
  %v19 = load <4 x float>, ptr addrspace(1) %v18, align 16
  %0 = fsub <4 x float> %v19, %v9
  %v4.i = shufflevector <4 x float> %0, <4 x float> poison, <3 x i32> <i32 0, i32 1, i32 2>
  %v0.i = extractelement <4 x float> %0, i64 0
  %v1.i = extractelement <4 x float> %0, i64 1
  %v2.i = extractelement <4 x float> %0, i64 2
  %v6.i = fmul float %v0.i, %v0.i
  %v7.i15 = tail call float @llvm.fma.f32(float %v1.i, float %v1.i, float %v6.i)
  %v8.i = tail call float @llvm.fma.f32(float %v2.i, float %v2.i, float %v7.i15)
  %v9.i = fadd float %epsSqr, %v8.i
  %v11.i = tail call spir_func float @_Z5rsqrtf(float %v9.i)
  %v15.i = extractelement <4 x float> %v19, i64 3
  %v17.i = fmul float %v15.i, %v11.i
  %v19.i = fmul float %v11.i, %v17.i
  %v21.i = fmul float %v11.i, %v19.i
  %v22.i = insertelement <3 x float> poison, float %v21.i, i64 0
  %v23.i = shufflevector <3 x float> %v22.i, <3 x float> poison, <3 x i32> zeroinitializer
  %v24.i = tail call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %v4.i, <3 x float> %v23.i, <3 x float> %acceleration.018)
  %v23 = add nuw nsw i32 %j.017, 1
  %v12 = icmp slt i32 %v23, %numBodies
  br i1 %v12, label %for.body, label %for.end

for.end:                                          ; preds = %for.body, %if.end
  %acceleration.0.lcssa = phi <3 x float> [ zeroinitializer, %if.end ], [ %v24.i, %for.body ]
  %v27 = getelementptr inbounds <4 x float>, ptr addrspace(1) %vel, i64 %v7
  %v28 = load <4 x float>, ptr addrspace(1) %v27, align 16
  %v30 = shufflevector <4 x float> %v9, <4 x float> poison, <3 x i32> <i32 0, i32 1, i32 2>
  %v32 = shufflevector <4 x float> %v28, <4 x float> poison, <3 x i32> <i32 0, i32 1, i32 2>
  %v34 = insertelement <3 x float> poison, float %deltaTime, i64 0
  %v35 = shufflevector <3 x float> %v34, <3 x float> poison, <3 x i32> zeroinitializer
  %v36 = tail call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %v32, <3 x float> %v35, <3 x float> %v30)
  %v38 = fmul <3 x float> %acceleration.0.lcssa, splat (float 5.000000e-01)
  %v42 = fmul <3 x float> %v35, %v38
  %v46 = tail call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %v42, <3 x float> %v35, <3 x float> %v36)
  %v55 = shufflevector <3 x float> %v46, <3 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  %v56 = shufflevector <4 x float> %v55, <4 x float> %v9, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v60 = getelementptr inbounds <4 x float>, ptr addrspace(1) %newPosition, i64 %v7
  store <4 x float> %v56, ptr addrspace(1) %v60, align 16
  %v67 = tail call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %acceleration.0.lcssa, <3 x float> %v35, <3 x float> %v32)
  %v75 = shufflevector <3 x float> %v67, <3 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  %v76 = shufflevector <4 x float> %v75, <4 x float> %v28, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v80 = getelementptr inbounds <4 x float>, ptr addrspace(1) %newVelocity, i64 %v7
  store <4 x float> %v76, ptr addrspace(1) %v80, align 16
  br label %return

return:                                           ; preds = %for.end, %entry
  ret void
}

; Function Attrs: convergent nounwind
define spir_kernel void @integrateBodies_noMT(ptr addrspace(1) writeonly captures(none) %newPos, ptr addrspace(1) writeonly captures(none) %newVel, ptr addrspace(1) readonly captures(none) %oldPos, ptr addrspace(1) readonly captures(none) %oldVel, float %deltaTime, float %damping, float %softeningSquared, i32 %numBodies, ptr addrspace(3) captures(none) %sharedPos) local_unnamed_addr #3 !dbg !49 !kernel_arg_addr_space !50 !kernel_arg_access_qual !51 !kernel_arg_type !52 !kernel_arg_base_type !52 !kernel_arg_type_qual !53 !kernel_arg_name !54 {
entry:
  %v0 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z14get_local_sizej(i32 0)
  %v3 = trunc i64 %v2 to i32
  %v4 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %0 = shl i64 %v4, 32
  %v8 = ashr exact i64 %0, 32
  %v9 = getelementptr inbounds <4 x float>, ptr addrspace(1) %oldPos, i64 %v8
  %v10 = load <4 x float>, ptr addrspace(1) %v9, align 16
  %v1324 = icmp sgt i32 %numBodies, 0
  br i1 %v1324, label %for.body.lr.ph, label %for.end

for.body.lr.ph:                                   ; preds = %entry
  %v23 = sext i32 %v1 to i64
  %v24 = getelementptr inbounds <4 x float>, ptr addrspace(3) %sharedPos, i64 %v23
  %v2721 = icmp sgt i32 %v3, 0
  br label %for.body

for.body:                                         ; preds = %for.body.lr.ph, %for.end.1
  %tile.026 = phi i32 [ 0, %for.body.lr.ph ], [ %v41, %for.end.1 ]
  %acceleration.025 = phi <3 x float> [ zeroinitializer, %for.body.lr.ph ], [ %acceleration.1.lcssa, %for.end.1 ]
  %v17 = add nsw i32 %tile.026, %v1
  %v18 = sext i32 %v17 to i64
  %v19 = getelementptr inbounds <4 x float>, ptr addrspace(1) %oldPos, i64 %v18
  %v20 = load <4 x float>, ptr addrspace(1) %v19, align 16
  store <4 x float> %v20, ptr addrspace(3) %v24, align 16
  tail call spir_func void @_Z7barrierj(i32 1)
  br i1 %v2721, label %for.body.1, label %for.end.1

for.body.1:                                       ; preds = %for.body, %for.body.1
  %j.023 = phi i32 [ %v38, %for.body.1 ], [ 0, %for.body ]
  %acceleration.122 = phi <3 x float> [ %v24.i, %for.body.1 ], [ %acceleration.025, %for.body ]
  %v32 = zext nneg i32 %j.023 to i64
  %v33 = getelementptr inbounds nuw <4 x float>, ptr addrspace(3) %sharedPos, i64 %v32
  %v34 = load <4 x float>, ptr addrspace(3) %v33, align 16
  %1 = fsub <4 x float> %v34, %v10
  %v4.i = shufflevector <4 x float> %1, <4 x float> poison, <3 x i32> <i32 0, i32 1, i32 2>
  %v0.i = extractelement <4 x float> %1, i64 0
  %v1.i = extractelement <4 x float> %1, i64 1
  %v2.i = extractelement <4 x float> %1, i64 2
  %v6.i = fmul float %v0.i, %v0.i
  %v7.i20 = tail call float @llvm.fma.f32(float %v1.i, float %v1.i, float %v6.i)
  %v8.i = tail call float @llvm.fma.f32(float %v2.i, float %v2.i, float %v7.i20)
  %v9.i = fadd float %softeningSquared, %v8.i
  %v11.i = tail call spir_func float @_Z5rsqrtf(float %v9.i)
  %v15.i = extractelement <4 x float> %v34, i64 3
  %v17.i = fmul float %v15.i, %v11.i
  %v19.i = fmul float %v11.i, %v17.i
  %v21.i = fmul float %v11.i, %v19.i
  %v22.i = insertelement <3 x float> poison, float %v21.i, i64 0
  %v23.i = shufflevector <3 x float> %v22.i, <3 x float> poison, <3 x i32> zeroinitializer
  %v24.i = tail call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %v4.i, <3 x float> %v23.i, <3 x float> %acceleration.122)
  %v38 = add nuw nsw i32 %j.023, 1
  %v27 = icmp slt i32 %v38, %v3
  br i1 %v27, label %for.body.1, label %for.end.1

for.end.1:                                        ; preds = %for.body.1, %for.body
  %acceleration.1.lcssa = phi <3 x float> [ %acceleration.025, %for.body ], [ %v24.i, %for.body.1 ]
  tail call spir_func void @_Z7barrierj(i32 1)
  %v41 = add nsw i32 %tile.026, %v3
  %v13 = icmp slt i32 %v41, %numBodies
  br i1 %v13, label %for.body, label %for.end

for.end:                                          ; preds = %for.end.1, %entry
  %acceleration.0.lcssa = phi <3 x float> [ zeroinitializer, %entry ], [ %acceleration.1.lcssa, %for.end.1 ]
  %v45 = getelementptr inbounds <4 x float>, ptr addrspace(1) %oldVel, i64 %v8
  %v46 = load <4 x float>, ptr addrspace(1) %v45, align 16
  %v49 = insertelement <3 x float> poison, float %deltaTime, i64 0
  %v50 = shufflevector <3 x float> %v49, <3 x float> poison, <3 x i32> zeroinitializer
  %v52 = shufflevector <4 x float> %v46, <4 x float> poison, <3 x i32> <i32 0, i32 1, i32 2>
  %v53 = tail call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %acceleration.0.lcssa, <3 x float> %v50, <3 x float> %v52)
  %v58 = insertelement <3 x float> poison, float %damping, i64 0
  %v59 = shufflevector <3 x float> %v58, <3 x float> poison, <3 x i32> zeroinitializer
  %v62 = fmul <3 x float> %v59, %v53
  %v64 = shufflevector <3 x float> %v62, <3 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  %v65 = shufflevector <4 x float> %v64, <4 x float> %v46, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v72 = shufflevector <4 x float> %v10, <4 x float> poison, <3 x i32> <i32 0, i32 1, i32 2>
  %v73 = tail call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %v62, <3 x float> %v50, <3 x float> %v72)
  %v75 = shufflevector <3 x float> %v73, <3 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  %v76 = shufflevector <4 x float> %v75, <4 x float> %v10, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v81 = getelementptr inbounds <4 x float>, ptr addrspace(1) %newPos, i64 %v8
  store <4 x float> %v76, ptr addrspace(1) %v81, align 16
  %v86 = getelementptr inbounds <4 x float>, ptr addrspace(1) %newVel, i64 %v8
  store <4 x float> %v65, ptr addrspace(1) %v86, align 16
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <3 x float> @llvm.fmuladd.v3f32(<3 x float>, <3 x float>, <3 x float>) #4

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind memory(argmem: readwrite) "no-builtins" }
attributes #3 = { convergent nounwind "no-builtins" }
attributes #4 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }



