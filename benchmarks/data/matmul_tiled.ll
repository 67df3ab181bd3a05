; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

@matmul_tiled.a_tile = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@matmul_tiled.b_tile = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@matmul_float4.a_tile = internal unnamed_addr addrspace(3) global [16 x [64 x float]] undef, align 4
@matmul_float4.b_tile = internal unnamed_addr addrspace(3) global [16 x [64 x float]] undef, align 4

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) local_unnamed_addr #0

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32) local_unnamed_addr #1

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @matmul_naive(ptr addrspace(1) writeonly captures(none) %C, ptr addrspace(1) readonly captures(none) %A, ptr addrspace(1) readonly captures(none) %B, i32 %m, i32 %n, i32 %k) local_unnamed_addr #2 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z13get_global_idj(i32 1)
  %v3 = trunc i64 %v2 to i32
  %v6.not = icmp sgt i32 %m, %v3
  %v9.not = icmp sgt i32 %n, %v1
  %or.cond = select i1 %v6.not, i1 %v9.not, i1 false
  br i1 %or.cond, label %for.cond.preheader, label %return

for.cond.preheader:                               ; preds = %entry
  %v1211 = icmp sgt i32 %k, 0
  br i1 %v1211, label %for.body.lr.ph, label %for.end

for.body.lr.ph:                                   ; preds = %for.cond.preheader
  %v16 = mul nsw i32 %k, %v3
  %xtraiter = and i32 %k, 3
  %0 = icmp ult i32 %k, 4
  br i1 %0, label %for.body.epil.preheader, label %for.body.lr.ph.new

for.body.lr.ph.new:                               ; preds = %for.body.lr.ph
  %unroll_iter = and i32 %k, 2147483644
  br label %for.body

for.body:                                         ; preds = %for.body, %for.body.lr.ph.new
  %i.013 = phi i32 [ 0, %for.body.lr.ph.new ], [ %v34.3, %for.body ]
  %sum.012 = phi float [ 0.000000e+00, %for.body.lr.ph.new ], [ %v32.3, %for.body ]
  %niter = phi i32 [ 0, %for.body.lr.ph.new ], [ %niter.next.3, %for.body ]
  %v18 = add nsw i32 %i.013, %v16
  %v19 = sext i32 %v18 to i64
  %v20 = getelementptr inbounds float, ptr addrspace(1) %A, i64 %v19
  %v21 = load float, ptr addrspace(1) %v20, align 4
  %v25 = mul nsw i32 %i.013, %n
  %v27 = add nsw i32 %v25, %v1
  %v28 = sext i32 %v27 to i64
  %v29 = getelementptr inbounds float, ptr addrspace(1) %B, i64 %v28
  %v30 = load float, ptr addrspace(1) %v29, align 4
  %v32 = tail call float @llvm.fmuladd.f32(float %v21, float %v30, float %sum.012)
  %v34 = or disjoint i32 %i.013, 1
  %v18.1 = add nsw i32 %v34, %v16
  %v19.1 = sext i32 %v18.1 to i64
  %v20.1 = getelementptr inbounds float, ptr addrspace(1) %A, i64 %v19.1
  %v21.1 = load float, ptr addrspace(1) %v20.1, align 4
  %v25.1 = mul nsw i32 %v34, %n
  %v27.1 = add nsw i32 %v25.1, %v1
  %v28.1 = sext i32 %v27.1 to i64
  %v29.1 = getelementptr inbounds float, ptr addrspace(1) %B, i64 %v28.1
  %v30.1 = load float, ptr addrspace(1) %v29.1, align 4
  %v32.1 = tail call float @llvm.fmuladd.f32(float %v21.1, float %v30.1, float %v32)
  %v34.1 = or disjoint i32 %i.013, 2
  %v18.2 = add nsw i32 %v34.1, %v16
  %v19.2 = sext i32 %v18.2 to i64
  %v20.2 = getelementptr inbounds float, ptr addrspace(1) %A, i64 %v19.2
  %v21.2 = load float, ptr addrspace(1) %v20.2, align 4
  %v25.2 = mul nsw i32 %v34.1, %n
  %v27.2 = add nsw i32 %v25.2, %v1
  %v28.2 = sext i32 %v27.2 to i64
  %v29.2 = getelementptr inbounds float, ptr addrspace(1) %B, i64 %v28.2
  %v30.2 = load float, ptr addrspace(1) %v29.2, align 4
  %v32.2 = tail call float @llvm.fmuladd.f32(float %v21.2, float %v30.2, float %v32.1)
  %v34.2 = or disjoint i32 %i.013, 3
  %v18.3 = add nsw i32 %v34.2, %v16
  %v19.3 = sext i32 %v18.3 to i64
  %v20.3 = getelementptr inbounds float, ptr addrspace(1) %A, i64 %v19.3
  %v21.3 = load float, ptr addrspace(1) %v20.3, align 4
  %v25.3 = mul nsw i32 %v34.2, %n
  %v27.3 = add nsw i32 %v25.3, %v1
  %v28.3 = sext i32 %v27.3 to i64
  %v29.3 = getelementptr inbounds float, ptr addrspace(1) %B, i64 %v28.3
  %v30.3 = load float, ptr addrspace(1) %v29.3, align 4
  %v32.3 = tail call float @llvm.fmuladd.f32(float %v21.3, float %v30.3, float %v32.2)
  %v34.3 = add nuw nsw i32 %i.013, 4
  %niter.next.3 = add i32 %niter, 4
  %niter.ncmp.3.not = icmp eq i32 %niter.next.3, %unroll_iter
  br i1 %niter.ncmp.3.not, label %for.end.loopexit.unr-lcssa, label %for.body

for.end.loopexit.unr-lcssa:                       ; preds = %for.body
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  br i1 %lcmp.mod.not, label %for.end, label %for.body.epil.preheader

for.body.epil.preheader:                          ; preds = %for.end.loopexit.unr-lcssa, %for.body.lr.ph
  %i.013.epil.init = phi i32 [ 0, %for.body.lr.ph ], [ %v34.3, %for.end.loopexit.unr-lcssa ]
  %sum.012.epil.init = phi float [ 0.000000e+00, %for.body.lr.ph ], [ %v32.3, %for.end.loopexit.unr-lcssa ]
  %lcmp.mod15 = icmp ne i32 %xtraiter, 0
  tail call void @llvm.assume(i1 %lcmp.mod15)
  br label %for.body.epil

for.body.epil:                                    ; preds = %for.body.epil, %for.body.epil.preheader
  %i.013.epil = phi i32 [ %i.013.epil.init, %for.body.epil.preheader ], [ %v34.epil, %for.body.epil ]
  %sum.012.epil = phi float [ %sum.012.epil.init, %for.body.epil.preheader ], [ %v32.epil, %for.body.epil ]
  %epil.iter = phi i32 [ 0, %for.body.epil.preheader ], [ %epil.iter.next, %for.body.epil ]
  %v18.epil = add nsw i32 %i.013.epil, %v16
  %v19.epil = sext i32 %v18.epil to i64
  %v20.epil = getelementptr inbounds float, ptr addrspace(1) %A, i64 %v19.epil
  %v21.epil = load float, ptr addrspace(1) %v20.epil, align 4
  %v25.epil = mul nsw i32 %i.013.epil, %n
  %v27.epil = add nsw i32 %v25.epil, %v1
  %v28.epil = sext i32 %v27.epil to i64
  %v29.epil = getelementptr inbounds float, ptr addrspace(1) %B, i64 %v28.epil
  %v30.epil = load float, ptr addrspace(1) %v29.epil, align 4
  %v32.epil = tail call float @llvm.fmuladd.f32(float %v21.epil, float %v30.epil, float %sum.012.epil)
  %v34.epil = add nuw nsw i32 %i.013.epil, 1
  %epil.iter.next = add i32 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i32 %epil.iter.next, %xtraiter
  br i1 %epil.iter.cmp.not, label %for.end, label %for.body.epil

for.end:                                          ; preds = %for.end.loopexit.unr-lcssa, %for.body.epil, %for.cond.preheader
  %sum.0.lcssa = phi float [ 0.000000e+00, %for.cond.preheader ], [ %v32.3, %for.end.loopexit.unr-lcssa ], [ %v32.epil, %for.body.epil ]
  %v39 = mul nsw i32 %n, %v3
  %v41 = add nsw i32 %v39, %v1
  %v42 = sext i32 %v41 to i64
  %v43 = getelementptr inbounds float, ptr addrspace(1) %C, i64 %v42
  store float %sum.0.lcssa, ptr addrspace(1) %v43, align 4
  br label %return

return:                                           ; preds = %for.end, %entry
  ret void
}

; Function Attrs: convergent nounwind
define spir_kernel void @matmul_tiled(ptr addrspace(1) writeonly captures(none) %C, ptr addrspace(1) readonly captures(none) %A, ptr addrspace(1) readonly captures(none) %B, i32 %m, i32 %n, i32 %k) local_unnamed_addr #3 !dbg !36 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 !reqd_work_group_size !37 {
entry:
  %v0 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z12get_local_idj(i32 1)
  %v3 = trunc i64 %v2 to i32
  %v4 = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %v4.tr = trunc i64 %v4 to i32
  %0 = shl i32 %v4.tr, 4
  %v9 = add i32 %0, %v1
  %v10 = tail call spir_func i64 @_Z12get_group_idj(i32 1)
  %v10.tr = trunc i64 %v10 to i32
  %1 = shl i32 %v10.tr, 4
  %v15 = add i32 %1, %v3
  %v1836 = icmp sgt i32 %k, 0
  br i1 %v1836, label %for.body.lr.ph, label %for.end

for.body.lr.ph:                                   ; preds = %entry
  %v13 = sext i32 %v3 to i64
  %v7 = sext i32 %v1 to i64
  %v21 = icmp slt i32 %v15, %m
  %v30 = mul nsw i32 %v15, %k
  %v32 = add i32 %v30, %v1
  %v41 = getelementptr inbounds [16 x float], ptr addrspace(3) @matmul_tiled.a_tile, i64 %v13
  %v44 = getelementptr inbounds float, ptr addrspace(3) %v41, i64 %v7
  %v52 = icmp slt i32 %v9, %n
  %v67 = getelementptr inbounds [16 x float], ptr addrspace(3) @matmul_tiled.b_tile, i64 %v13
  %v70 = getelementptr inbounds float, ptr addrspace(3) %v67, i64 %v7
  %invariant.gep = getelementptr float, ptr addrspace(3) @matmul_tiled.b_tile, i64 %v7
  %v78.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 4
  %gep.1 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 64
  %v78.2 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 8
  %gep.2 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 128
  %v78.3 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 12
  %gep.3 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 192
  %v78.4 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 16
  %gep.4 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 256
  %v78.5 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 20
  %gep.5 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 320
  %v78.6 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 24
  %gep.6 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 384
  %v78.7 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 28
  %gep.7 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 448
  %v78.8 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 32
  %gep.8 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 512
  %v78.9 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 36
  %gep.9 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 576
  %v78.10 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 40
  %gep.10 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 640
  %v78.11 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 44
  %gep.11 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 704
  %v78.12 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 48
  %gep.12 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 768
  %v78.13 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 52
  %gep.13 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 832
  %v78.14 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 56
  %gep.14 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 896
  %v78.15 = getelementptr inbounds nuw i8, ptr addrspace(3) %v41, i64 60
  %gep.15 = getelementptr i8, ptr addrspace(3) %invariant.gep, i64 960
  br label %for.body

for.body:                                         ; preds = %for.body.lr.ph, %cond.end.1
  %base.038 = phi i32 [ 0, %for.body.lr.ph ], [ %v92, %cond.end.1 ]
  %sum.037 = phi float [ 0.000000e+00, %for.body.lr.ph ], [ %v88.15, %cond.end.1 ]
  %v24 = add nsw i32 %base.038, %v1
  %v26 = icmp slt i32 %v24, %k
  %or.cond = select i1 %v21, i1 %v26, i1 false
  br i1 %or.cond, label %cond.true, label %cond.end

cond.true:                                        ; preds = %for.body
  %v34 = add i32 %v32, %base.038
  %v35 = sext i32 %v34 to i64
  %v36 = getelementptr inbounds float, ptr addrspace(1) %A, i64 %v35
  %v37 = load float, ptr addrspace(1) %v36, align 4
  br label %cond.end

cond.end:                                         ; preds = %for.body, %cond.true
  %v38 = phi float [ %v37, %cond.true ], [ 0.000000e+00, %for.body ]
  store float %v38, ptr addrspace(3) %v44, align 4
  %v47 = add nsw i32 %base.038, %v3
  %v49 = icmp slt i32 %v47, %k
  %or.cond32 = select i1 %v49, i1 %v52, i1 false
  br i1 %or.cond32, label %cond.true.1, label %cond.end.1

cond.true.1:                                      ; preds = %cond.end
  %v58 = mul nsw i32 %v47, %n
  %v60 = add nsw i32 %v58, %v9
  %v61 = sext i32 %v60 to i64
  %v62 = getelementptr inbounds float, ptr addrspace(1) %B, i64 %v61
  %v63 = load float, ptr addrspace(1) %v62, align 4
  br label %cond.end.1

cond.end.1:                                       ; preds = %cond.end, %cond.true.1
  %v64 = phi float [ %v63, %cond.true.1 ], [ 0.000000e+00, %cond.end ]
  store float %v64, ptr addrspace(3) %v70, align 4
  tail call spir_func void @_Z7barrierj(i32 1)
  %v79 = load float, ptr addrspace(3) %v41, align 4
  %v86 = load float, ptr addrspace(3) %invariant.gep, align 4
  %v88 = tail call float @llvm.fmuladd.f32(float %v79, float %v86, float %sum.037)
  %v79.1 = load float, ptr addrspace(3) %v78.1, align 4
  %v86.1 = load float, ptr addrspace(3) %gep.1, align 4
  %v88.1 = tail call float @llvm.fmuladd.f32(float %v79.1, float %v86.1, float %v88)
  %v79.2 = load float, ptr addrspace(3) %v78.2, align 4
  %v86.2 = load float, ptr addrspace(3) %gep.2, align 4
  %v88.2 = tail call float @llvm.fmuladd.f32(float %v79.2, float %v86.2, float %v88.1)
  %v79.3 = load float, ptr addrspace(3) %v78.3, align 4
  %v86.3 = load float, ptr addrspace(3) %gep.3, align 4
  %v88.3 = tail call float @llvm.fmuladd.f32(float %v79.3, float %v86.3, float %v88.2)
  %v79.4 = load float, ptr addrspace(3) %v78.4, align 4
  %v86.4 = load float, ptr addrspace(3) %gep.4, align 4
  %v88.4 = tail call float @llvm.fmuladd.f32(float %v79.4, float %v86.4, float %v88.3)
  %v79.5 = load float, ptr addrspace(3) %v78.5, align 4
  %v86.5 = load float, ptr addrspace(3) %gep.5, align 4
  %v88.5 = tail call float @llvm.fmuladd.f32(float %v79.5, float %v86.5, float %v88.4)
  %v79.6 = load float, ptr addrspace(3) %v78.6, align 4
  %v86.6 = load float, ptr addrspace(3) %gep.6, align 4
  %v88.6 = tail call float @llvm.fmuladd.f32(float %v79.6, float %v86.6, float %v88.5)
  %v79.7 = load float, ptr addrspace(3) %v78.7, align 4
  %v86.7 = load float, ptr addrspace(3) %gep.7, align 4
  %v88.7 = tail call float @llvm.fmuladd.f32(float %v79.7, float %v86.7, float %v88.6)
  %v79.8 = load float, ptr addrspace(3) %v78.8, align 4
  %v86.8 = load float, ptr addrspace(3) %gep.8, align 4
  %v88.8 = tail call float @llvm.fmuladd.f32(float %v79.8, float %v86.8, float %v88.7)
  %v79.9 = load float, ptr addrspace(3) %v78.9, align 4
  %v86.9 = load float, ptr addrspace(3) %gep.9, align 4
  %v88.9 = tail call float @llvm.fmuladd.f32(float %v79.9, float %v86.9, float %v88.8)
  %v79.10 = load float, ptr addrspace(3) %v78.10, align 4
  %v86.10 = load float, ptr addrspace(3) %gep.10, align 4
  %v88.10 = tail call float @llvm.fmuladd.f32(float %v79.10, float %v86.10, float %v88.9)
  %v79.11 = load float, ptr addrspace(3) %v78.11, align 4
  %v86.11 = load float, ptr addrspace(3) %gep.11, align 4
  %v88.11 = tail call float @llvm.fmuladd.f32(float %v79.11, float %v86.11, float %v88.10)
  %v79.12 = load float, ptr addrspace(3) %v78.12, align 4
  %v86.12 = load float, ptr addrspace(3) %gep.12, align 4
  %v88.12 = tail call float @llvm.fmuladd.f32(float %v79.12, float %v86.12, float %v88.11)
  %v79.13 = load float, ptr addrspace(3) %v78.13, align 4
  %v86.13 = load float, ptr addrspace(3) %gep.13, align 4
  %v88.13 = tail call float @llvm.fmuladd.f32(float %v79.13, float %v86.13, float %v88.12)
  %v79.14 = load float, ptr addrspace(3) %v78.14, align 4
  %v86.14 = load float, ptr addrspace(3) %gep.14, align 4
  %v88.14 = tail call float @llvm.fmuladd.f32(float %v79.14, float %v86.14, float %v88.13)
  %v79.15 = load float, ptr addrspace(3) %v78.15, align 4
  %v86.15 = load float, ptr addrspace(3) %gep.15, align 4
  %v88.15 = tail call float @llvm.fmuladd.f32(float %v79.15, float %v86.15, float %v88.14)
  tail call spir_func void @_Z7barrierj(i32 1)
  %v92 = add nuw nsw i32 %base.038, 16
  %v18 = icmp slt i32 %v92, %k
  br i1 %v18, label %for.body, label %for.end

for.end:                                          ; preds = %cond.end.1, %entry
  %sum.0.lcssa = phi float [ 0.000000e+00, %entry ], [ %v88.15, %cond.end.1 ]
  %v95 = icmp slt i32 %v15, %m
  %v98 = icmp slt i32 %v9, %n
  %or.cond33 = select i1 %v95, i1 %v98, i1 false
  br i1 %or.cond33, label %if.then, label %return

if.then:                                          ; preds = %for.end
  %v103 = mul nsw i32 %v15, %n
  %v105 = add nsw i32 %v103, %v9
  %v106 = sext i32 %v105 to i64
  %v107 = getelementptr inbounds float, ptr addrspace(1) %C, i64 %v106
  store float %sum.0.lcssa, ptr addrspace(1) %v107, align 4
  br label %return

return:                                           ; preds = %if.then, %for.end
  ret void
}

; Function Attrs: convergent nounwind
define spir_kernel void @matmul_float4(ptr addrspace(1) writeonly captures(none) %C, ptr addrspace(1) readonly captures(none) %A, ptr addrspace(1) readonly captures(none) %B, i32 %m, i32 %n, i32 %k) local_unnamed_addr #3 !dbg !69 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 !reqd_work_group_size !37 {
entry:
  %v0 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z12get_local_idj(i32 1)
  %v3 = trunc i64 %v2 to i32
  %v5 = shl nsw i32 %v3, 4
  %v7 = add nsw i32 %v5, %v1
  %v8 = tail call spir_func i64 @_Z12get_group_idj(i32 1)
  %v8.tr = trunc i64 %v8 to i32
  %v12 = shl i32 %v8.tr, 6
  %v13 = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %v13.tr = trunc i64 %v13 to i32
  %v17 = shl i32 %v13.tr, 6
  %v7.frozen = freeze i32 %v7
  %v20 = sdiv i32 %v7.frozen, 4
  %0 = mul i32 %v20, 4
  %v23.decomposed = sub i32 %v7.frozen, %0
  %v24 = shl nsw i32 %v23.decomposed, 2
  %v7.frozen106 = freeze i32 %v7
  %v28 = sdiv i32 %v7.frozen106, 16
  %v4381 = icmp sgt i32 %k, 0
  br i1 %v4381, label %for.body.1.lr.ph, label %for.end.1

for.body.1.lr.ph:                                 ; preds = %entry
  %1 = mul i32 %v28, 16
  %v32.decomposed = sub i32 %v7.frozen106, %1
  %v33 = shl nsw i32 %v32.decomposed, 2
  %v46 = add nsw i32 %v20, %v12
  %v48 = icmp slt i32 %v46, %m
  %v59 = mul nsw i32 %v46, %k
  %v60 = sext i32 %v59 to i64
  %v61 = getelementptr inbounds float, ptr addrspace(1) %A, i64 %v60
  %v66 = sext i32 %v24 to i64
  %invariant.gep84 = getelementptr float, ptr addrspace(1) %v61, i64 %v66
  %v76 = add nsw i32 %v33, %v17
  %v78 = icmp slt i32 %v76, %n
  %v88 = sext i32 %v17 to i64
  %invariant.gep86 = getelementptr float, ptr addrspace(1) %B, i64 %v88
  %v91 = sext i32 %v33 to i64
  %invariant.gep88 = getelementptr float, ptr addrspace(1) %invariant.gep86, i64 %v91
  %v99 = getelementptr inbounds [64 x float], ptr addrspace(3) @matmul_float4.a_tile, i64 %v66
  %v101 = sext i32 %v20 to i64
  %v102 = getelementptr inbounds float, ptr addrspace(3) %v99, i64 %v101
  %v108 = getelementptr i8, ptr addrspace(3) %v99, i64 256
  %v111 = getelementptr inbounds float, ptr addrspace(3) %v108, i64 %v101
  %v117 = getelementptr i8, ptr addrspace(3) %v99, i64 512
  %v120 = getelementptr inbounds float, ptr addrspace(3) %v117, i64 %v101
  %v126 = getelementptr i8, ptr addrspace(3) %v99, i64 768
  %v129 = getelementptr inbounds float, ptr addrspace(3) %v126, i64 %v101
  %v132 = sext i32 %v28 to i64
  %v133 = getelementptr inbounds [64 x float], ptr addrspace(3) @matmul_float4.b_tile, i64 %v132
  %v136 = getelementptr inbounds float, ptr addrspace(3) %v133, i64 %v91
  %v140 = sext i32 %v3 to i64
  %invariant.gep = getelementptr [4 x float], ptr addrspace(3) @matmul_float4.a_tile, i64 %v140
  %v146 = sext i32 %v1 to i64
  %invariant.gep68 = getelementptr [4 x float], ptr addrspace(3) @matmul_float4.b_tile, i64 %v146
  br label %for.body.1

for.body.1:                                       ; preds = %for.body.1.lr.ph, %for.end.2
  %v18473.lcssa95 = phi <4 x float> [ zeroinitializer, %for.body.1.lr.ph ], [ %v0.i61, %for.end.2 ]
  %v17572.lcssa93 = phi <4 x float> [ zeroinitializer, %for.body.1.lr.ph ], [ %v0.i60, %for.end.2 ]
  %v16671.lcssa91 = phi <4 x float> [ zeroinitializer, %for.body.1.lr.ph ], [ %v0.i59, %for.end.2 ]
  %base.083 = phi i32 [ 0, %for.body.1.lr.ph ], [ %v190, %for.end.2 ]
  %v0.i70.lcssa8082 = phi <4 x float> [ zeroinitializer, %for.body.1.lr.ph ], [ %v0.i, %for.end.2 ]
  %v51 = add nsw i32 %base.083, %v24
  %v53 = icmp slt i32 %v51, %k
  %or.cond = select i1 %v48, i1 %v53, i1 false
  br i1 %or.cond, label %if.then, label %if.end

if.then:                                          ; preds = %for.body.1
  %v63 = zext nneg i32 %base.083 to i64
  %gep85 = getelementptr float, ptr addrspace(1) %invariant.gep84, i64 %v63
  %v1.i65 = load <4 x float>, ptr addrspace(1) %gep85, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body.1
  %a.0 = phi <4 x float> [ %v1.i65, %if.then ], [ zeroinitializer, %for.body.1 ]
  %v71 = add nsw i32 %base.083, %v28
  %v73 = icmp slt i32 %v71, %k
  %or.cond57 = select i1 %v73, i1 %v78, i1 false
  br i1 %or.cond57, label %if.then.1, label %if.end.1

if.then.1:                                        ; preds = %if.end
  %v84 = mul nsw i32 %v71, %n
  %v85 = sext i32 %v84 to i64
  %gep89 = getelementptr float, ptr addrspace(1) %invariant.gep88, i64 %v85
  %v1.i66 = load <4 x float>, ptr addrspace(1) %gep89, align 4
  br label %if.end.1

if.end.1:                                         ; preds = %if.then.1, %if.end
  %b.0 = phi <4 x float> [ %v1.i66, %if.then.1 ], [ zeroinitializer, %if.end ]
  %v95 = extractelement <4 x float> %a.0, i64 0
  store float %v95, ptr addrspace(3) %v102, align 4
  %v104 = extractelement <4 x float> %a.0, i64 1
  store float %v104, ptr addrspace(3) %v111, align 4
  %v113 = extractelement <4 x float> %a.0, i64 2
  store float %v113, ptr addrspace(3) %v120, align 4
  %v122 = extractelement <4 x float> %a.0, i64 3
  store float %v122, ptr addrspace(3) %v129, align 4
  store <4 x float> %b.0, ptr addrspace(3) %v136, align 4
  tail call spir_func void @_Z7barrierj(i32 1)
  br label %for.body.2

for.body.2:                                       ; preds = %if.end.1, %for.body.2
  %i.078 = phi i32 [ 0, %if.end.1 ], [ %v188, %for.body.2 ]
  %v0.i7077 = phi <4 x float> [ %v0.i70.lcssa8082, %if.end.1 ], [ %v0.i, %for.body.2 ]
  %v1667176 = phi <4 x float> [ %v16671.lcssa91, %if.end.1 ], [ %v0.i59, %for.body.2 ]
  %v1757275 = phi <4 x float> [ %v17572.lcssa93, %if.end.1 ], [ %v0.i60, %for.body.2 ]
  %v1847374 = phi <4 x float> [ %v18473.lcssa95, %if.end.1 ], [ %v0.i61, %for.body.2 ]
  %v142 = zext nneg i32 %i.078 to i64
  %gep = getelementptr [64 x float], ptr addrspace(3) %invariant.gep, i64 %v142
  %v1.i = load <4 x float>, ptr addrspace(3) %gep, align 4
  %gep69 = getelementptr [64 x float], ptr addrspace(3) %invariant.gep68, i64 %v142
  %v1.i64 = load <4 x float>, ptr addrspace(3) %gep69, align 4
  %v154 = shufflevector <4 x float> %v1.i, <4 x float> poison, <4 x i32> zeroinitializer
  %v0.i = tail call <4 x float> @llvm.fma.v4f32(<4 x float> %v154, <4 x float> %v1.i64, <4 x float> %v0.i7077)
  %v163 = shufflevector <4 x float> %v1.i, <4 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  %v0.i59 = tail call <4 x float> @llvm.fma.v4f32(<4 x float> %v163, <4 x float> %v1.i64, <4 x float> %v1667176)
  %v172 = shufflevector <4 x float> %v1.i, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %v0.i60 = tail call <4 x float> @llvm.fma.v4f32(<4 x float> %v172, <4 x float> %v1.i64, <4 x float> %v1757275)
  %v181 = shufflevector <4 x float> %v1.i, <4 x float> poison, <4 x i32> <i32 3, i32 3, i32 3, i32 3>
  %v0.i61 = tail call <4 x float> @llvm.fma.v4f32(<4 x float> %v181, <4 x float> %v1.i64, <4 x float> %v1847374)
  %v188 = add nuw nsw i32 %i.078, 1
  %v138 = icmp samesign ult i32 %i.078, 15
  br i1 %v138, label %for.body.2, label %for.end.2

for.end.2:                                        ; preds = %for.body.2
  tail call spir_func void @_Z7barrierj(i32 1)
  %v190 = add nuw nsw i32 %base.083, 16
  %v43 = icmp slt i32 %v190, %k
  br i1 %v43, label %for.body.1, label %for.end.1

for.end.1:                                        ; preds = %for.end.2, %entry
  %acc.sroa.12.0 = phi <4 x float> [ zeroinitializer, %entry ], [ %v0.i61, %for.end.2 ]
  %acc.sroa.8.0 = phi <4 x float> [ zeroinitializer, %entry ], [ %v0.i60, %for.end.2 ]
  %acc.sroa.4.0 = phi <4 x float> [ zeroinitializer, %entry ], [ %v0.i59, %for.end.2 ]
  %v0.i70.lcssa80.lcssa = phi <4 x float> [ zeroinitializer, %entry ], [ %v0.i, %for.end.2 ]
  %v193 = shl nsw i32 %v1, 2
  %v194 = add nsw i32 %v17, %v193
  %v199 = shl nsw i32 %v3, 2
  %v200 = add nsw i32 %v12, %v199
  %v208 = icmp slt i32 %v194, %n
  %v220 = sext i32 %v194 to i64
  %invariant.gep97 = getelementptr float, ptr addrspace(1) %C, i64 %v220
  %v205 = icmp slt i32 %v200, %m
  %or.cond58 = select i1 %v205, i1 %v208, i1 false
  br i1 %or.cond58, label %if.then.2, label %for.inc.3

if.then.2:                                        ; preds = %for.end.1
  %v216 = mul nsw i32 %v200, %n
  %v217 = sext i32 %v216 to i64
  %gep98 = getelementptr float, ptr addrspace(1) %invariant.gep97, i64 %v217
  store <4 x float> %v0.i70.lcssa80.lcssa, ptr addrspace(1) %gep98, align 4
  br label %for.inc.3

for.inc.3:                                        ; preds = %if.then.2, %for.end.1
  %v202.1 = or disjoint i32 %v200, 1
  %v205.1 = icmp slt i32 %v202.1, %m
  %or.cond58.1 = select i1 %v205.1, i1 %v208, i1 false
  br i1 %or.cond58.1, label %if.then.2.1, label %for.inc.3.1

if.then.2.1:                                      ; preds = %for.inc.3
  %v216.1 = mul nsw i32 %v202.1, %n
  %v217.1 = sext i32 %v216.1 to i64
  %gep98.1 = getelementptr float, ptr addrspace(1) %invariant.gep97, i64 %v217.1
  store <4 x float> %acc.sroa.4.0, ptr addrspace(1) %gep98.1, align 4
  br label %for.inc.3.1

for.inc.3.1:                                      ; preds = %if.then.2.1, %for.inc.3
  %v202.2 = or disjoint i32 %v200, 2
  %v205.2 = icmp slt i32 %v202.2, %m
  %or.cond58.2 = select i1 %v205.2, i1 %v208, i1 false
  br i1 %or.cond58.2, label %if.then.2.2, label %for.inc.3.2

if.then.2.2:                                      ; preds = %for.inc.3.1
  %v216.2 = mul nsw i32 %v202.2, %n
  %v217.2 = sext i32 %v216.2 to i64
  %gep98.2 = getelementptr float, ptr addrspace(1) %invariant.gep97, i64 %v217.2
  store <4 x float> %acc.sroa.8.0, ptr addrspace(1) %gep98.2, align 4
  br label %for.inc.3.2

for.inc.3.2:                                      ; preds = %if.then.2.2, %for.inc.3.1
  %v202.3 = or disjoint i32 %v200, 3
  %v205.3 = icmp slt i32 %v202.3, %m
  %or.cond58.3 = select i1 %v205.3, i1 %v208, i1 false
  br i1 %or.cond58.3, label %if.then.2.3, label %for.inc.3.3

if.then.2.3:                                      ; preds = %for.inc.3.2
  %v216.3 = mul nsw i32 %v202.3, %n
  %v217.3 = sext i32 %v216.3 to i64
  %gep98.3 = getelementptr float, ptr addrspace(1) %invariant.gep97, i64 %v217.3
  store <4 x float> %acc.sroa.12.0, ptr addrspace(1) %gep98.3, align 4
  br label %for.inc.3.3

for.inc.3.3:                                      ; preds = %if.then.2.3, %for.inc.3.2
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #5

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind memory(argmem: readwrite) "no-builtins" }
attributes #3 = { convergent nounwind "no-builtins" }
attributes #4 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }



