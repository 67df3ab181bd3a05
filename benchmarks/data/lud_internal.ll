; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32) local_unnamed_addr #0

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32) local_unnamed_addr #1

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) local_unnamed_addr #0

; Function Attrs: convergent nounwind
define spir_kernel void @lud_diagonal(ptr addrspace(1) captures(none) %m, ptr addrspace(3) captures(none) %shadow, i32 %matrix_dim, i32 %offset) local_unnamed_addr #2 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v5 = mul nsw i32 %offset, %matrix_dim
  %v6 = sext i32 %v5 to i64
  %v7 = getelementptr inbounds float, ptr addrspace(1) %m, i64 %v6
  %v9 = sext i32 %offset to i64
  %v10 = getelementptr inbounds float, ptr addrspace(1) %v7, i64 %v9
  %v19 = sext i32 %v1 to i64
  %v20 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19
  %v21 = load float, ptr addrspace(1) %v20, align 4
  %v28 = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v19
  store float %v21, ptr addrspace(3) %v28, align 4
  %v18.1 = add nsw i32 %matrix_dim, %v1
  %v19.1 = sext i32 %v18.1 to i64
  %v20.1 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.1
  %v21.1 = load float, ptr addrspace(1) %v20.1, align 4
  %0 = sext i32 %v1 to i64
  %1 = getelementptr float, ptr addrspace(3) %shadow, i64 %0
  %v28.1 = getelementptr i8, ptr addrspace(3) %1, i64 64
  store float %v21.1, ptr addrspace(3) %v28.1, align 4
  %v16.2 = shl nsw i32 %matrix_dim, 1
  %v18.2 = add nsw i32 %v16.2, %v1
  %v19.2 = sext i32 %v18.2 to i64
  %v20.2 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.2
  %v21.2 = load float, ptr addrspace(1) %v20.2, align 4
  %2 = sext i32 %v1 to i64
  %3 = getelementptr float, ptr addrspace(3) %shadow, i64 %2
  %v28.2 = getelementptr i8, ptr addrspace(3) %3, i64 128
  store float %v21.2, ptr addrspace(3) %v28.2, align 4
  %v16.3 = mul nsw i32 %matrix_dim, 3
  %v18.3 = add nsw i32 %v16.3, %v1
  %v19.3 = sext i32 %v18.3 to i64
  %v20.3 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.3
  %v21.3 = load float, ptr addrspace(1) %v20.3, align 4
  %4 = sext i32 %v1 to i64
  %5 = getelementptr float, ptr addrspace(3) %shadow, i64 %4
  %v28.3 = getelementptr i8, ptr addrspace(3) %5, i64 192
  store float %v21.3, ptr addrspace(3) %v28.3, align 4
  %v16.4 = shl nsw i32 %matrix_dim, 2
  %v18.4 = add nsw i32 %v16.4, %v1
  %v19.4 = sext i32 %v18.4 to i64
  %v20.4 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.4
  %v21.4 = load float, ptr addrspace(1) %v20.4, align 4
  %6 = sext i32 %v1 to i64
  %7 = getelementptr float, ptr addrspace(3) %shadow, i64 %6
  %v28.4 = getelementptr i8, ptr addrspace(3) %7, i64 256
  store float %v21.4, ptr addrspace(3) %v28.4, align 4
  %v16.5 = mul nsw i32 %matrix_dim, 5
  %v18.5 = add nsw i32 %v16.5, %v1
  %v19.5 = sext i32 %v18.5 to i64
  %v20.5 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.5
  %v21.5 = load float, ptr addrspace(1) %v20.5, align 4
  %8 = sext i32 %v1 to i64
  %9 = getelementptr float, ptr addrspace(3) %shadow, i64 %8
  %v28.5 = getelementptr i8, ptr addrspace(3) %9, i64 320
  store float %v21.5, ptr addrspace(3) %v28.5, align 4
  %v16.6 = mul nsw i32 %matrix_dim, 6
  %v18.6 = add nsw i32 %v16.6, %v1
  %v19.6 = sext i32 %v18.6 to i64
  %v20.6 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.6
  %v21.6 = load float, ptr addrspace(1) %v20.6, align 4
  %10 = sext i32 %v1 to i64
  %11 = getelementptr float, ptr addrspace(3) %shadow, i64 %10
  %v28.6 = getelementptr i8, ptr addrspace(3) %11, i64 384
  store float %v21.6, ptr addrspace(3) %v28.6, align 4
  %v16.7 = mul nsw i32 %matrix_dim, 7
  %v18.7 = add nsw i32 %v16.7, %v1
  %v19.7 = sext i32 %v18.7 to i64
  %v20.7 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.7
  %v21.7 = load float, ptr addrspace(1) %v20.7, align 4
  %12 = sext i32 %v1 to i64
  %13 = getelementptr float, ptr addrspace(3) %shadow, i64 %12
  %v28.7 = getelementptr i8, ptr addrspace(3) %13, i64 448
  store float %v21.7, ptr addrspace(3) %v28.7, align 4
  %v16.8 = shl nsw i32 %matrix_dim, 3
  %v18.8 = add nsw i32 %v16.8, %v1
  %v19.8 = sext i32 %v18.8 to i64
  %v20.8 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.8
  %v21.8 = load float, ptr addrspace(1) %v20.8, align 4
  %14 = sext i32 %v1 to i64
  %15 = getelementptr float, ptr addrspace(3) %shadow, i64 %14
  %v28.8 = getelementptr i8, ptr addrspace(3) %15, i64 512
  store float %v21.8, ptr addrspace(3) %v28.8, align 4
  %v16.9 = mul nsw i32 %matrix_dim, 9
  %v18.9 = add nsw i32 %v16.9, %v1
  %v19.9 = sext i32 %v18.9 to i64
  %v20.9 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.9
  %v21.9 = load float, ptr addrspace(1) %v20.9, align 4
  %16 = sext i32 %v1 to i64
  %17 = getelementptr float, ptr addrspace(3) %shadow, i64 %16
  %v28.9 = getelementptr i8, ptr addrspace(3) %17, i64 576
  store float %v21.9, ptr addrspace(3) %v28.9, align 4
  %v16.10 = mul nsw i32 %matrix_dim, 10
  %v18.10 = add nsw i32 %v16.10, %v1
  %v19.10 = sext i32 %v18.10 to i64
  %v20.10 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.10
  %v21.10 = load float, ptr addrspace(1) %v20.10, align 4
  %18 = sext i32 %v1 to i64
  %19 = getelementptr float, ptr addrspace(3) %shadow, i64 %18
  %v28.10 = getelementptr i8, ptr addrspace(3) %19, i64 640
  store float %v21.10, ptr addrspace(3) %v28.10, align 4
  %v16.11 = mul nsw i32 %matrix_dim, 11
  %v18.11 = add nsw i32 %v16.11, %v1
  %v19.11 = sext i32 %v18.11 to i64
  %v20.11 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.11
  %v21.11 = load float, ptr addrspace(1) %v20.11, align 4
  %20 = sext i32 %v1 to i64
  %21 = getelementptr float, ptr addrspace(3) %shadow, i64 %20
  %v28.11 = getelementptr i8, ptr addrspace(3) %21, i64 704
  store float %v21.11, ptr addrspace(3) %v28.11, align 4
  %v16.12 = mul nsw i32 %matrix_dim, 12
  %v18.12 = add nsw i32 %v16.12, %v1
  %v19.12 = sext i32 %v18.12 to i64
  %v20.12 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.12
  %v21.12 = load float, ptr addrspace(1) %v20.12, align 4
  %22 = sext i32 %v1 to i64
  %23 = getelementptr float, ptr addrspace(3) %shadow, i64 %22
  %v28.12 = getelementptr i8, ptr addrspace(3) %23, i64 768
  store float %v21.12, ptr addrspace(3) %v28.12, align 4
  %v16.13 = mul nsw i32 %matrix_dim, 13
  %v18.13 = add nsw i32 %v16.13, %v1
  %v19.13 = sext i32 %v18.13 to i64
  %v20.13 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.13
  %v21.13 = load float, ptr addrspace(1) %v20.13, align 4
  %24 = sext i32 %v1 to i64
  %25 = getelementptr float, ptr addrspace(3) %shadow, i64 %24
  %v28.13 = getelementptr i8, ptr addrspace(3) %25, i64 832
  store float %v21.13, ptr addrspace(3) %v28.13, align 4
  %v16.14 = mul nsw i32 %matrix_dim, 14
  %v18.14 = add nsw i32 %v16.14, %v1
  %v19.14 = sext i32 %v18.14 to i64
  %v20.14 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.14
  %v21.14 = load float, ptr addrspace(1) %v20.14, align 4
  %26 = sext i32 %v1 to i64
  %27 = getelementptr float, ptr addrspace(3) %shadow, i64 %26
  %v28.14 = getelementptr i8, ptr addrspace(3) %27, i64 896
  store float %v21.14, ptr addrspace(3) %v28.14, align 4
  %v16.15 = mul nsw i32 %matrix_dim, 15
  %v18.15 = add nsw i32 %v16.15, %v1
  %v19.15 = sext i32 %v18.15 to i64
  %v20.15 = getelementptr inbounds float, ptr addrspace(1) %v10, i64 %v19.15
  %v21.15 = load float, ptr addrspace(1) %v20.15, align 4
  %28 = sext i32 %v1 to i64
  %29 = getelementptr float, ptr addrspace(3) %shadow, i64 %28
  %v28.15 = getelementptr i8, ptr addrspace(3) %29, i64 960
  store float %v21.15, ptr addrspace(3) %v28.15, align 4
  tail call spir_func void @_Z7barrierj(i32 1)
  %v42 = shl nsw i32 %v1, 4
  br label %for.body.1

for.body.1:                                       ; preds = %entry, %if.end.1
  %i.1.045 = phi i32 [ 0, %entry ], [ %v123, %if.end.1 ]
  %30 = add nuw i32 %i.1.045, 1
  %v36 = icmp slt i32 %i.1.045, %v1
  br i1 %v36, label %for.cond.2.preheader, label %if.end

for.cond.2.preheader:                             ; preds = %for.body.1
  %v3939.not = icmp eq i32 %i.1.045, 0
  br i1 %v3939.not, label %for.end.2, label %for.body.2.lr.ph

for.body.2.lr.ph:                                 ; preds = %for.cond.2.preheader
  %v60 = or disjoint i32 %i.1.045, %v42
  %v61 = sext i32 %v60 to i64
  %v62 = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v61
  %v62.promoted = load float, ptr addrspace(3) %v62, align 4
  %xtraiter = and i32 %i.1.045, 3
  %31 = icmp samesign ult i32 %i.1.045, 4
  br i1 %31, label %for.body.2.epil.preheader, label %for.body.2.lr.ph.new

for.body.2.lr.ph.new:                             ; preds = %for.body.2.lr.ph
  %unroll_iter = and i32 %i.1.045, 2147483644
  br label %for.body.2

for.body.2:                                       ; preds = %for.body.2, %for.body.2.lr.ph.new
  %v6541 = phi float [ %v62.promoted, %for.body.2.lr.ph.new ], [ %v65.3, %for.body.2 ]
  %j.040 = phi i32 [ 0, %for.body.2.lr.ph.new ], [ %v67.3, %for.body.2 ]
  %niter = phi i32 [ 0, %for.body.2.lr.ph.new ], [ %niter.next.3, %for.body.2 ]
  %v44 = add nuw nsw i32 %j.040, %v42
  %v45 = sext i32 %v44 to i64
  %v46 = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v45
  %v47 = load float, ptr addrspace(3) %v46, align 4
  %v50 = shl nuw nsw i32 %j.040, 4
  %v52 = add nuw nsw i32 %v50, %i.1.045
  %v53 = zext nneg i32 %v52 to i64
  %v54 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v53
  %v55 = load float, ptr addrspace(3) %v54, align 4
  %v64 = fneg float %v47
  %v65 = tail call float @llvm.fmuladd.f32(float %v64, float %v55, float %v6541)
  store float %v65, ptr addrspace(3) %v62, align 4
  %v67 = or disjoint i32 %j.040, 1
  %v44.1 = add nuw nsw i32 %v67, %v42
  %v45.1 = sext i32 %v44.1 to i64
  %v46.1 = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v45.1
  %v47.1 = load float, ptr addrspace(3) %v46.1, align 4
  %v50.1 = shl nuw nsw i32 %v67, 4
  %v52.1 = add nuw nsw i32 %v50.1, %i.1.045
  %v53.1 = zext nneg i32 %v52.1 to i64
  %v54.1 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v53.1
  %v55.1 = load float, ptr addrspace(3) %v54.1, align 4
  %v64.1 = fneg float %v47.1
  %v65.1 = tail call float @llvm.fmuladd.f32(float %v64.1, float %v55.1, float %v65)
  store float %v65.1, ptr addrspace(3) %v62, align 4
  %v67.1 = or disjoint i32 %j.040, 2
  %v44.2 = add nuw nsw i32 %v67.1, %v42
  %v45.2 = sext i32 %v44.2 to i64
  %v46.2 = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v45.2
  %v47.2 = load float, ptr addrspace(3) %v46.2, align 4
  %v50.2 = shl nuw nsw i32 %v67.1, 4
  %v52.2 = add nuw nsw i32 %v50.2, %i.1.045
  %v53.2 = zext nneg i32 %v52.2 to i64
  %v54.2 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v53.2
  %v55.2 = load float, ptr addrspace(3) %v54.2, align 4
  %v64.2 = fneg float %v47.2
  %v65.2 = tail call float @llvm.fmuladd.f32(float %v64.2, float %v55.2, float %v65.1)
  store float %v65.2, ptr addrspace(3) %v62, align 4
  %v67.2 = or disjoint i32 %j.040, 3
  %v44.3 = add nuw nsw i32 %v67.2, %v42
  %v45.3 = sext i32 %v44.3 to i64
  %v46.3 = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v45.3
  %v47.3 = load float, ptr addrspace(3) %v46.3, align 4
  %v50.3 = shl nuw nsw i32 %v67.2, 4
  %v52.3 = add nuw nsw i32 %v50.3, %i.1.045
  %v53.3 = zext nneg i32 %v52.3 to i64
  %v54.3 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v53.3
  %v55.3 = load float, ptr addrspace(3) %v54.3, align 4
  %v64.3 = fneg float %v47.3
  %v65.3 = tail call float @llvm.fmuladd.f32(float %v64.3, float %v55.3, float %v65.2)
  store float %v65.3, ptr addrspace(3) %v62, align 4
  %v67.3 = add nuw nsw i32 %j.040, 4
  %niter.next.3 = add i32 %niter, 4
  %niter.ncmp.3.not = icmp eq i32 %niter.next.3, %unroll_iter
  br i1 %niter.ncmp.3.not, label %for.end.2.loopexit.unr-lcssa, label %for.body.2

for.end.2.loopexit.unr-lcssa:                     ; preds = %for.body.2
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  br i1 %lcmp.mod.not, label %for.end.2, label %for.body.2.epil.preheader

for.body.2.epil.preheader:                        ; preds = %for.end.2.loopexit.unr-lcssa, %for.body.2.lr.ph
  %v6541.epil.init = phi float [ %v62.promoted, %for.body.2.lr.ph ], [ %v65.3, %for.end.2.loopexit.unr-lcssa ]
  %j.040.epil.init = phi i32 [ 0, %for.body.2.lr.ph ], [ %v67.3, %for.end.2.loopexit.unr-lcssa ]
  %lcmp.mod51 = icmp ne i32 %xtraiter, 0
  tail call void @llvm.assume(i1 %lcmp.mod51)
  br label %for.body.2.epil

for.body.2.epil:                                  ; preds = %for.body.2.epil, %for.body.2.epil.preheader
  %v6541.epil = phi float [ %v6541.epil.init, %for.body.2.epil.preheader ], [ %v65.epil, %for.body.2.epil ]
  %j.040.epil = phi i32 [ %j.040.epil.init, %for.body.2.epil.preheader ], [ %v67.epil, %for.body.2.epil ]
  %epil.iter = phi i32 [ 0, %for.body.2.epil.preheader ], [ %epil.iter.next, %for.body.2.epil ]
  %v44.epil = add nuw nsw i32 %j.040.epil, %v42
  %v45.epil = sext i32 %v44.epil to i64
  %v46.epil = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v45.epil
  %v47.epil = load float, ptr addrspace(3) %v46.epil, align 4
  %v50.epil = shl nuw nsw i32 %j.040.epil, 4
  %v52.epil = add nuw nsw i32 %v50.epil, %i.1.045
  %v53.epil = zext nneg i32 %v52.epil to i64
  %v54.epil = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v53.epil
  %v55.epil = load float, ptr addrspace(3) %v54.epil, align 4
  %v64.epil = fneg float %v47.epil
  %v65.epil = tail call float @llvm.fmuladd.f32(float %v64.epil, float %v55.epil, float %v6541.epil)
  store float %v65.epil, ptr addrspace(3) %v62, align 4
  %v67.epil = add nuw nsw i32 %j.040.epil, 1
  %epil.iter.next = add i32 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i32 %epil.iter.next, %xtraiter
  br i1 %epil.iter.cmp.not, label %for.end.2, label %for.body.2.epil

for.end.2:                                        ; preds = %for.end.2.loopexit.unr-lcssa, %for.body.2.epil, %for.cond.2.preheader
  %v72 = mul nuw nsw i32 %i.1.045, 17
  %v73 = zext nneg i32 %v72 to i64
  %v74 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v73
  %v75 = load float, ptr addrspace(3) %v74, align 4
  %v80 = add nuw nsw i32 %i.1.045, %v42
  %v81 = sext i32 %v80 to i64
  %v82 = getelementptr inbounds float, ptr addrspace(3) %shadow, i64 %v81
  %v83 = load float, ptr addrspace(3) %v82, align 4
  %v84 = fdiv float %v83, %v75
  store float %v84, ptr addrspace(3) %v82, align 4
  br label %if.end

if.end:                                           ; preds = %for.end.2, %for.body.1
  tail call spir_func void @_Z7barrierj(i32 1)
  br i1 %v36, label %for.cond.3.preheader, label %if.end.1

for.cond.3.preheader:                             ; preds = %if.end
  %v90 = shl nuw nsw i32 %i.1.045, 4
  %v95 = add nuw nsw i32 %v90, 16
  %v114 = add nuw nsw i32 %v95, %v1
  %v115 = zext nneg i32 %v114 to i64
  %v116 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v115
  %v116.promoted = load float, ptr addrspace(3) %v116, align 4
  %xtraiter52 = and i32 %30, 3
  %32 = icmp samesign ult i32 %i.1.045, 3
  br i1 %32, label %for.body.3.epil.preheader, label %for.cond.3.preheader.new

for.cond.3.preheader.new:                         ; preds = %for.cond.3.preheader
  %unroll_iter56 = and i32 %30, -4
  br label %for.body.3

for.body.3:                                       ; preds = %for.body.3, %for.cond.3.preheader.new
  %j.1.044 = phi i32 [ 0, %for.cond.3.preheader.new ], [ %v121.3, %for.body.3 ]
  %v1194243 = phi float [ %v116.promoted, %for.cond.3.preheader.new ], [ %v119.3, %for.body.3 ]
  %niter57 = phi i32 [ 0, %for.cond.3.preheader.new ], [ %niter57.next.3, %for.body.3 ]
  %v97 = add nuw nsw i32 %j.1.044, %v95
  %v98 = zext nneg i32 %v97 to i64
  %v99 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v98
  %v100 = load float, ptr addrspace(3) %v99, align 4
  %v103 = shl nuw nsw i32 %j.1.044, 4
  %v105 = add nuw nsw i32 %v103, %v1
  %v106 = zext nneg i32 %v105 to i64
  %v107 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v106
  %v108 = load float, ptr addrspace(3) %v107, align 4
  %v118 = fneg float %v100
  %v119 = tail call float @llvm.fmuladd.f32(float %v118, float %v108, float %v1194243)
  store float %v119, ptr addrspace(3) %v116, align 4
  %v121 = or disjoint i32 %j.1.044, 1
  %v97.1 = add nuw nsw i32 %v121, %v95
  %v98.1 = zext nneg i32 %v97.1 to i64
  %v99.1 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v98.1
  %v100.1 = load float, ptr addrspace(3) %v99.1, align 4
  %v103.1 = shl nuw nsw i32 %v121, 4
  %v105.1 = add nuw nsw i32 %v103.1, %v1
  %v106.1 = zext nneg i32 %v105.1 to i64
  %v107.1 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v106.1
  %v108.1 = load float, ptr addrspace(3) %v107.1, align 4
  %v118.1 = fneg float %v100.1
  %v119.1 = tail call float @llvm.fmuladd.f32(float %v118.1, float %v108.1, float %v119)
  store float %v119.1, ptr addrspace(3) %v116, align 4
  %v121.1 = or disjoint i32 %j.1.044, 2
  %v97.2 = add nuw nsw i32 %v121.1, %v95
  %v98.2 = zext nneg i32 %v97.2 to i64
  %v99.2 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v98.2
  %v100.2 = load float, ptr addrspace(3) %v99.2, align 4
  %v103.2 = shl nuw nsw i32 %v121.1, 4
  %v105.2 = add nuw nsw i32 %v103.2, %v1
  %v106.2 = zext nneg i32 %v105.2 to i64
  %v107.2 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v106.2
  %v108.2 = load float, ptr addrspace(3) %v107.2, align 4
  %v118.2 = fneg float %v100.2
  %v119.2 = tail call float @llvm.fmuladd.f32(float %v118.2, float %v108.2, float %v119.1)
  store float %v119.2, ptr addrspace(3) %v116, align 4
  %v121.2 = or disjoint i32 %j.1.044, 3
  %v97.3 = add nuw nsw i32 %v121.2, %v95
  %v98.3 = zext nneg i32 %v97.3 to i64
  %v99.3 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v98.3
  %v100.3 = load float, ptr addrspace(3) %v99.3, align 4
  %v103.3 = shl nuw nsw i32 %v121.2, 4
  %v105.3 = add nuw nsw i32 %v103.3, %v1
  %v106.3 = zext nneg i32 %v105.3 to i64
  %v107.3 = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v106.3
  %v108.3 = load float, ptr addrspace(3) %v107.3, align 4
  %v118.3 = fneg float %v100.3
  %v119.3 = tail call float @llvm.fmuladd.f32(float %v118.3, float %v108.3, float %v119.2)
  store float %v119.3, ptr addrspace(3) %v116, align 4
  %v121.3 = add nuw nsw i32 %j.1.044, 4
  %niter57.next.3 = add i32 %niter57, 4
  %niter57.ncmp.3.not = icmp eq i32 %niter57.next.3, %unroll_iter56
  br i1 %niter57.ncmp.3.not, label %if.end.1.loopexit.unr-lcssa, label %for.body.3

if.end.1.loopexit.unr-lcssa:                      ; preds = %for.body.3
  %lcmp.mod54.not = icmp eq i32 %xtraiter52, 0
  br i1 %lcmp.mod54.not, label %if.end.1, label %for.body.3.epil.preheader

for.body.3.epil.preheader:                        ; preds = %if.end.1.loopexit.unr-lcssa, %for.cond.3.preheader
  %j.1.044.epil.init = phi i32 [ 0, %for.cond.3.preheader ], [ %v121.3, %if.end.1.loopexit.unr-lcssa ]
  %v1194243.epil.init = phi float [ %v116.promoted, %for.cond.3.preheader ], [ %v119.3, %if.end.1.loopexit.unr-lcssa ]
  %lcmp.mod55 = icmp ne i32 %xtraiter52, 0
  tail call void @llvm.assume(i1 %lcmp.mod55)
  br label %for.body.3.epil

for.body.3.epil:                                  ; preds = %for.body.3.epil, %for.body.3.epil.preheader
  %j.1.044.epil = phi i32 [ %j.1.044.epil.init, %for.body.3.epil.preheader ], [ %v121.epil, %for.body.3.epil ]
  %v1194243.epil = phi float [ %v1194243.epil.init, %for.body.3.epil.preheader ], [ %v119.epil, %for.body.3.epil ]
  %epil.iter53 = phi i32 [ 0, %for.body.3.epil.preheader ], [ %epil.iter53.next, %for.body.3.epil ]
  %v97.epil = add nuw nsw i32 %j.1.044.epil, %v95
  %v98.epil = zext nneg i32 %v97.epil to i64
  %v99.epil = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v98.epil
  %v100.epil = load float, ptr addrspace(3) %v99.epil, align 4
  %v103.epil = shl nuw nsw i32 %j.1.044.epil, 4
  %v105.epil = add nuw nsw i32 %v103.epil, %v1
  %v106.epil = zext nneg i32 %v105.epil to i64
  %v107.epil = getelementptr inbounds nuw float, ptr addrspace(3) %shadow, i64 %v106.epil
  %v108.epil = load float, ptr addrspace(3) %v107.epil, align 4
  %v118.epil = fneg float %v100.epil
  %v119.epil = tail call float @llvm.fmuladd.f32(float %v118.epil, float %v108.epil, float %v1194243.epil)
  store float %v119.epil, ptr addrspace(3) %v116, align 4
  %v121.epil = add nuw nsw i32 %j.1.044.epil, 1
  %epil.iter53.next = add i32 %epil.iter53, 1
  %epil.iter53.cmp.not = icmp eq i32 %epil.iter53.next, %xtraiter52
  br i1 %epil.iter53.cmp.not, label %if.end.1, label %for.body.3.epil

if.end.1:                                         ; preds = %if.end.1.loopexit.unr-lcssa, %for.body.3.epil, %if.end
  tail call spir_func void @_Z7barrierj(i32 1)
  %v123 = add nuw nsw i32 %i.1.045, 1
  %v33 = icmp samesign ult i32 %i.1.045, 14
  br i1 %v33, label %for.body.1, label %for.body.4.preheader

for.body.4.preheader:                             ; preds = %if.end.1
  %v133 = load float, ptr addrspace(3) %v28.1, align 4
  store float %v133, ptr addrspace(1) %v20.1, align 4
  %v133.1 = load float, ptr addrspace(3) %v28.2, align 4
  store float %v133.1, ptr addrspace(1) %v20.2, align 4
  %v133.2 = load float, ptr addrspace(3) %v28.3, align 4
  store float %v133.2, ptr addrspace(1) %v20.3, align 4
  %v133.3 = load float, ptr addrspace(3) %v28.4, align 4
  store float %v133.3, ptr addrspace(1) %v20.4, align 4
  %v133.4 = load float, ptr addrspace(3) %v28.5, align 4
  store float %v133.4, ptr addrspace(1) %v20.5, align 4
  %v133.5 = load float, ptr addrspace(3) %v28.6, align 4
  store float %v133.5, ptr addrspace(1) %v20.6, align 4
  %v133.6 = load float, ptr addrspace(3) %v28.7, align 4
  store float %v133.6, ptr addrspace(1) %v20.7, align 4
  %v133.7 = load float, ptr addrspace(3) %v28.8, align 4
  store float %v133.7, ptr addrspace(1) %v20.8, align 4
  %v133.8 = load float, ptr addrspace(3) %v28.9, align 4
  store float %v133.8, ptr addrspace(1) %v20.9, align 4
  %v133.9 = load float, ptr addrspace(3) %v28.10, align 4
  store float %v133.9, ptr addrspace(1) %v20.10, align 4
  %v133.10 = load float, ptr addrspace(3) %v28.11, align 4
  store float %v133.10, ptr addrspace(1) %v20.11, align 4
  %v133.11 = load float, ptr addrspace(3) %v28.12, align 4
  store float %v133.11, ptr addrspace(1) %v20.12, align 4
  %v133.12 = load float, ptr addrspace(3) %v28.13, align 4
  store float %v133.12, ptr addrspace(1) %v20.13, align 4
  %v133.13 = load float, ptr addrspace(3) %v28.14, align 4
  store float %v133.13, ptr addrspace(1) %v20.14, align 4
  %v133.14 = load float, ptr addrspace(3) %v28.15, align 4
  store float %v133.14, ptr addrspace(1) %v20.15, align 4
  ret void
}

; Function Attrs: convergent nounwind
define spir_kernel void @lud_perimeter(ptr addrspace(1) captures(none) %m, ptr addrspace(3) captures(none) %dia, ptr addrspace(3) captures(none) %peri_row, ptr addrspace(3) captures(none) %peri_col, i32 %matrix_dim, i32 %offset) local_unnamed_addr #2 !dbg !64 !kernel_arg_addr_space !65 !kernel_arg_access_qual !66 !kernel_arg_type !67 !kernel_arg_base_type !67 !kernel_arg_type_qual !68 !kernel_arg_name !69 {
entry:
  %v0 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %v2.tr = trunc i64 %v2 to i32
  %0 = shl i32 %v2.tr, 4
  %v5 = add i32 %0, 16
  %v9 = mul nsw i32 %offset, %matrix_dim
  %v10 = sext i32 %v9 to i64
  %v11 = getelementptr inbounds float, ptr addrspace(1) %m, i64 %v10
  %v13 = sext i32 %offset to i64
  %v14 = getelementptr inbounds float, ptr addrspace(1) %v11, i64 %v13
  %v17 = sext i32 %v5 to i64
  %v18 = getelementptr inbounds float, ptr addrspace(1) %v14, i64 %v17
  %v22 = mul nsw i32 %v5, %matrix_dim
  %v23 = sext i32 %v22 to i64
  %v24 = getelementptr inbounds float, ptr addrspace(1) %v14, i64 %v23
  %v26 = srem i32 %v1, 16
  %v28 = icmp slt i32 %v1, 16
  %v37 = select i1 %v28, i32 8, i32 16
  %v33 = select i1 %v28, i32 0, i32 8
  br label %for.body

for.body:                                         ; preds = %entry, %for.body
  %i.064 = phi i32 [ %v59, %for.body ], [ %v33, %entry ]
  %v45 = mul nsw i32 %i.064, %matrix_dim
  %v47 = add nsw i32 %v45, %v26
  %v48 = sext i32 %v47 to i64
  %v49 = getelementptr inbounds float, ptr addrspace(1) %v14, i64 %v48
  %v50 = load float, ptr addrspace(1) %v49, align 4
  %v53 = shl nuw nsw i32 %i.064, 4
  %v55 = add nsw i32 %v53, %v26
  %v56 = sext i32 %v55 to i64
  %v57 = getelementptr inbounds float, ptr addrspace(3) %dia, i64 %v56
  store float %v50, ptr addrspace(3) %v57, align 4
  %v59 = add nuw nsw i32 %i.064, 1
  %v41 = icmp samesign ult i32 %v59, %v37
  br i1 %v41, label %for.body, label %for.end

for.end:                                          ; preds = %for.body
  br i1 %v28, label %for.body.1.preheader, label %for.body.2.preheader

for.body.2.preheader:                             ; preds = %for.end
  %v90 = zext nneg i32 %v26 to i64
  %v91 = getelementptr inbounds nuw float, ptr addrspace(1) %v24, i64 %v90
  %v92 = load float, ptr addrspace(1) %v91, align 4
  %v98 = zext nneg i32 %v26 to i64
  %v99 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v98
  store float %v92, ptr addrspace(3) %v99, align 4
  %v89.1 = add nsw i32 %matrix_dim, %v26
  %v90.1 = sext i32 %v89.1 to i64
  %v91.1 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.1
  %v92.1 = load float, ptr addrspace(1) %v91.1, align 4
  %1 = zext nneg i32 %v26 to i64
  %2 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %1
  %v99.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %2, i64 64
  store float %v92.1, ptr addrspace(3) %v99.1, align 4
  %v87.2 = shl nsw i32 %matrix_dim, 1
  %v89.2 = add nsw i32 %v87.2, %v26
  %v90.2 = sext i32 %v89.2 to i64
  %v91.2 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.2
  %v92.2 = load float, ptr addrspace(1) %v91.2, align 4
  %3 = zext nneg i32 %v26 to i64
  %4 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %3
  %v99.2 = getelementptr inbounds nuw i8, ptr addrspace(3) %4, i64 128
  store float %v92.2, ptr addrspace(3) %v99.2, align 4
  %v87.3 = mul nsw i32 %matrix_dim, 3
  %v89.3 = add nsw i32 %v87.3, %v26
  %v90.3 = sext i32 %v89.3 to i64
  %v91.3 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.3
  %v92.3 = load float, ptr addrspace(1) %v91.3, align 4
  %5 = zext nneg i32 %v26 to i64
  %6 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %5
  %v99.3 = getelementptr inbounds nuw i8, ptr addrspace(3) %6, i64 192
  store float %v92.3, ptr addrspace(3) %v99.3, align 4
  %v87.4 = shl nsw i32 %matrix_dim, 2
  %v89.4 = add nsw i32 %v87.4, %v26
  %v90.4 = sext i32 %v89.4 to i64
  %v91.4 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.4
  %v92.4 = load float, ptr addrspace(1) %v91.4, align 4
  %7 = zext nneg i32 %v26 to i64
  %8 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %7
  %v99.4 = getelementptr inbounds nuw i8, ptr addrspace(3) %8, i64 256
  store float %v92.4, ptr addrspace(3) %v99.4, align 4
  %v87.5 = mul nsw i32 %matrix_dim, 5
  %v89.5 = add nsw i32 %v87.5, %v26
  %v90.5 = sext i32 %v89.5 to i64
  %v91.5 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.5
  %v92.5 = load float, ptr addrspace(1) %v91.5, align 4
  %9 = zext nneg i32 %v26 to i64
  %10 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %9
  %v99.5 = getelementptr inbounds nuw i8, ptr addrspace(3) %10, i64 320
  store float %v92.5, ptr addrspace(3) %v99.5, align 4
  %v87.6 = mul nsw i32 %matrix_dim, 6
  %v89.6 = add nsw i32 %v87.6, %v26
  %v90.6 = sext i32 %v89.6 to i64
  %v91.6 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.6
  %v92.6 = load float, ptr addrspace(1) %v91.6, align 4
  %11 = zext nneg i32 %v26 to i64
  %12 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %11
  %v99.6 = getelementptr inbounds nuw i8, ptr addrspace(3) %12, i64 384
  store float %v92.6, ptr addrspace(3) %v99.6, align 4
  %v87.7 = mul nsw i32 %matrix_dim, 7
  %v89.7 = add nsw i32 %v87.7, %v26
  %v90.7 = sext i32 %v89.7 to i64
  %v91.7 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.7
  %v92.7 = load float, ptr addrspace(1) %v91.7, align 4
  %13 = zext nneg i32 %v26 to i64
  %14 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %13
  %v99.7 = getelementptr inbounds nuw i8, ptr addrspace(3) %14, i64 448
  store float %v92.7, ptr addrspace(3) %v99.7, align 4
  %v87.8 = shl nsw i32 %matrix_dim, 3
  %v89.8 = add nsw i32 %v87.8, %v26
  %v90.8 = sext i32 %v89.8 to i64
  %v91.8 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.8
  %v92.8 = load float, ptr addrspace(1) %v91.8, align 4
  %15 = zext nneg i32 %v26 to i64
  %16 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %15
  %v99.8 = getelementptr inbounds nuw i8, ptr addrspace(3) %16, i64 512
  store float %v92.8, ptr addrspace(3) %v99.8, align 4
  %v87.9 = mul nsw i32 %matrix_dim, 9
  %v89.9 = add nsw i32 %v87.9, %v26
  %v90.9 = sext i32 %v89.9 to i64
  %v91.9 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.9
  %v92.9 = load float, ptr addrspace(1) %v91.9, align 4
  %17 = zext nneg i32 %v26 to i64
  %18 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %17
  %v99.9 = getelementptr inbounds nuw i8, ptr addrspace(3) %18, i64 576
  store float %v92.9, ptr addrspace(3) %v99.9, align 4
  %v87.10 = mul nsw i32 %matrix_dim, 10
  %v89.10 = add nsw i32 %v87.10, %v26
  %v90.10 = sext i32 %v89.10 to i64
  %v91.10 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.10
  %v92.10 = load float, ptr addrspace(1) %v91.10, align 4
  %19 = zext nneg i32 %v26 to i64
  %20 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %19
  %v99.10 = getelementptr inbounds nuw i8, ptr addrspace(3) %20, i64 640
  store float %v92.10, ptr addrspace(3) %v99.10, align 4
  %v87.11 = mul nsw i32 %matrix_dim, 11
  %v89.11 = add nsw i32 %v87.11, %v26
  %v90.11 = sext i32 %v89.11 to i64
  %v91.11 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.11
  %v92.11 = load float, ptr addrspace(1) %v91.11, align 4
  %21 = zext nneg i32 %v26 to i64
  %22 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %21
  %v99.11 = getelementptr inbounds nuw i8, ptr addrspace(3) %22, i64 704
  store float %v92.11, ptr addrspace(3) %v99.11, align 4
  %v87.12 = mul nsw i32 %matrix_dim, 12
  %v89.12 = add nsw i32 %v87.12, %v26
  %v90.12 = sext i32 %v89.12 to i64
  %v91.12 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.12
  %v92.12 = load float, ptr addrspace(1) %v91.12, align 4
  %23 = zext nneg i32 %v26 to i64
  %24 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %23
  %v99.12 = getelementptr inbounds nuw i8, ptr addrspace(3) %24, i64 768
  store float %v92.12, ptr addrspace(3) %v99.12, align 4
  %v87.13 = mul nsw i32 %matrix_dim, 13
  %v89.13 = add nsw i32 %v87.13, %v26
  %v90.13 = sext i32 %v89.13 to i64
  %v91.13 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.13
  %v92.13 = load float, ptr addrspace(1) %v91.13, align 4
  %25 = zext nneg i32 %v26 to i64
  %26 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %25
  %v99.13 = getelementptr inbounds nuw i8, ptr addrspace(3) %26, i64 832
  store float %v92.13, ptr addrspace(3) %v99.13, align 4
  %v87.14 = mul nsw i32 %matrix_dim, 14
  %v89.14 = add nsw i32 %v87.14, %v26
  %v90.14 = sext i32 %v89.14 to i64
  %v91.14 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.14
  %v92.14 = load float, ptr addrspace(1) %v91.14, align 4
  %27 = zext nneg i32 %v26 to i64
  %28 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %27
  %v99.14 = getelementptr inbounds nuw i8, ptr addrspace(3) %28, i64 896
  store float %v92.14, ptr addrspace(3) %v99.14, align 4
  %v87.15 = mul nsw i32 %matrix_dim, 15
  %v89.15 = add nsw i32 %v87.15, %v26
  %v90.15 = sext i32 %v89.15 to i64
  %v91.15 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v90.15
  %29 = zext nneg i32 %v26 to i64
  %30 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %29
  br label %if.end

for.body.1.preheader:                             ; preds = %for.end
  %v70 = sext i32 %v26 to i64
  %v71 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70
  %v72 = load float, ptr addrspace(1) %v71, align 4
  %v79 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v70
  store float %v72, ptr addrspace(3) %v79, align 4
  %v69.1 = add nsw i32 %matrix_dim, %v26
  %v70.1 = sext i32 %v69.1 to i64
  %v71.1 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.1
  %v72.1 = load float, ptr addrspace(1) %v71.1, align 4
  %31 = sext i32 %v26 to i64
  %32 = getelementptr float, ptr addrspace(3) %peri_row, i64 %31
  %v79.1 = getelementptr i8, ptr addrspace(3) %32, i64 64
  store float %v72.1, ptr addrspace(3) %v79.1, align 4
  %v67.2 = shl nsw i32 %matrix_dim, 1
  %v69.2 = add nsw i32 %v67.2, %v26
  %v70.2 = sext i32 %v69.2 to i64
  %v71.2 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.2
  %v72.2 = load float, ptr addrspace(1) %v71.2, align 4
  %33 = sext i32 %v26 to i64
  %34 = getelementptr float, ptr addrspace(3) %peri_row, i64 %33
  %v79.2 = getelementptr i8, ptr addrspace(3) %34, i64 128
  store float %v72.2, ptr addrspace(3) %v79.2, align 4
  %v67.3 = mul nsw i32 %matrix_dim, 3
  %v69.3 = add nsw i32 %v67.3, %v26
  %v70.3 = sext i32 %v69.3 to i64
  %v71.3 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.3
  %v72.3 = load float, ptr addrspace(1) %v71.3, align 4
  %35 = sext i32 %v26 to i64
  %36 = getelementptr float, ptr addrspace(3) %peri_row, i64 %35
  %v79.3 = getelementptr i8, ptr addrspace(3) %36, i64 192
  store float %v72.3, ptr addrspace(3) %v79.3, align 4
  %v67.4 = shl nsw i32 %matrix_dim, 2
  %v69.4 = add nsw i32 %v67.4, %v26
  %v70.4 = sext i32 %v69.4 to i64
  %v71.4 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.4
  %v72.4 = load float, ptr addrspace(1) %v71.4, align 4
  %37 = sext i32 %v26 to i64
  %38 = getelementptr float, ptr addrspace(3) %peri_row, i64 %37
  %v79.4 = getelementptr i8, ptr addrspace(3) %38, i64 256
  store float %v72.4, ptr addrspace(3) %v79.4, align 4
  %v67.5 = mul nsw i32 %matrix_dim, 5
  %v69.5 = add nsw i32 %v67.5, %v26
  %v70.5 = sext i32 %v69.5 to i64
  %v71.5 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.5
  %v72.5 = load float, ptr addrspace(1) %v71.5, align 4
  %39 = sext i32 %v26 to i64
  %40 = getelementptr float, ptr addrspace(3) %peri_row, i64 %39
  %v79.5 = getelementptr i8, ptr addrspace(3) %40, i64 320
  store float %v72.5, ptr addrspace(3) %v79.5, align 4
  %v67.6 = mul nsw i32 %matrix_dim, 6
  %v69.6 = add nsw i32 %v67.6, %v26
  %v70.6 = sext i32 %v69.6 to i64
  %v71.6 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.6
  %v72.6 = load float, ptr addrspace(1) %v71.6, align 4
  %41 = sext i32 %v26 to i64
  %42 = getelementptr float, ptr addrspace(3) %peri_row, i64 %41
  %v79.6 = getelementptr i8, ptr addrspace(3) %42, i64 384
  store float %v72.6, ptr addrspace(3) %v79.6, align 4
  %v67.7 = mul nsw i32 %matrix_dim, 7
  %v69.7 = add nsw i32 %v67.7, %v26
  %v70.7 = sext i32 %v69.7 to i64
  %v71.7 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.7
  %v72.7 = load float, ptr addrspace(1) %v71.7, align 4
  %43 = sext i32 %v26 to i64
  %44 = getelementptr float, ptr addrspace(3) %peri_row, i64 %43
  %v79.7 = getelementptr i8, ptr addrspace(3) %44, i64 448
  store float %v72.7, ptr addrspace(3) %v79.7, align 4
  %v67.8 = shl nsw i32 %matrix_dim, 3
  %v69.8 = add nsw i32 %v67.8, %v26
  %v70.8 = sext i32 %v69.8 to i64
  %v71.8 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.8
  %v72.8 = load float, ptr addrspace(1) %v71.8, align 4
  %45 = sext i32 %v26 to i64
  %46 = getelementptr float, ptr addrspace(3) %peri_row, i64 %45
  %v79.8 = getelementptr i8, ptr addrspace(3) %46, i64 512
  store float %v72.8, ptr addrspace(3) %v79.8, align 4
  %v67.9 = mul nsw i32 %matrix_dim, 9
  %v69.9 = add nsw i32 %v67.9, %v26
  %v70.9 = sext i32 %v69.9 to i64
  %v71.9 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.9
  %v72.9 = load float, ptr addrspace(1) %v71.9, align 4
  %47 = sext i32 %v26 to i64
  %48 = getelementptr float, ptr addrspace(3) %peri_row, i64 %47
  %v79.9 = getelementptr i8, ptr addrspace(3) %48, i64 576
  store float %v72.9, ptr addrspace(3) %v79.9, align 4
  %v67.10 = mul nsw i32 %matrix_dim, 10
  %v69.10 = add nsw i32 %v67.10, %v26
  %v70.10 = sext i32 %v69.10 to i64
  %v71.10 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.10
  %v72.10 = load float, ptr addrspace(1) %v71.10, align 4
  %49 = sext i32 %v26 to i64
  %50 = getelementptr float, ptr addrspace(3) %peri_row, i64 %49
  %v79.10 = getelementptr i8, ptr addrspace(3) %50, i64 640
  store float %v72.10, ptr addrspace(3) %v79.10, align 4
  %v67.11 = mul nsw i32 %matrix_dim, 11
  %v69.11 = add nsw i32 %v67.11, %v26
  %v70.11 = sext i32 %v69.11 to i64
  %v71.11 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.11
  %v72.11 = load float, ptr addrspace(1) %v71.11, align 4
  %51 = sext i32 %v26 to i64
  %52 = getelementptr float, ptr addrspace(3) %peri_row, i64 %51
  %v79.11 = getelementptr i8, ptr addrspace(3) %52, i64 704
  store float %v72.11, ptr addrspace(3) %v79.11, align 4
  %v67.12 = mul nsw i32 %matrix_dim, 12
  %v69.12 = add nsw i32 %v67.12, %v26
  %v70.12 = sext i32 %v69.12 to i64
  %v71.12 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.12
  %v72.12 = load float, ptr addrspace(1) %v71.12, align 4
  %53 = sext i32 %v26 to i64
  %54 = getelementptr float, ptr addrspace(3) %peri_row, i64 %53
  %v79.12 = getelementptr i8, ptr addrspace(3) %54, i64 768
  store float %v72.12, ptr addrspace(3) %v79.12, align 4
  %v67.13 = mul nsw i32 %matrix_dim, 13
  %v69.13 = add nsw i32 %v67.13, %v26
  %v70.13 = sext i32 %v69.13 to i64
  %v71.13 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.13
  %v72.13 = load float, ptr addrspace(1) %v71.13, align 4
  %55 = sext i32 %v26 to i64
  %56 = getelementptr float, ptr addrspace(3) %peri_row, i64 %55
  %v79.13 = getelementptr i8, ptr addrspace(3) %56, i64 832
  store float %v72.13, ptr addrspace(3) %v79.13, align 4
  %v67.14 = mul nsw i32 %matrix_dim, 14
  %v69.14 = add nsw i32 %v67.14, %v26
  %v70.14 = sext i32 %v69.14 to i64
  %v71.14 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.14
  %v72.14 = load float, ptr addrspace(1) %v71.14, align 4
  %57 = sext i32 %v26 to i64
  %58 = getelementptr float, ptr addrspace(3) %peri_row, i64 %57
  %v79.14 = getelementptr i8, ptr addrspace(3) %58, i64 896
  store float %v72.14, ptr addrspace(3) %v79.14, align 4
  %v67.15 = mul nsw i32 %matrix_dim, 15
  %v69.15 = add nsw i32 %v67.15, %v26
  %v70.15 = sext i32 %v69.15 to i64
  %v71.15 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v70.15
  %59 = sext i32 %v26 to i64
  %60 = getelementptr float, ptr addrspace(3) %peri_row, i64 %59
  br label %if.end

if.end:                                           ; preds = %for.body.2.preheader, %for.body.1.preheader
  %.sink = phi ptr addrspace(3) [ %30, %for.body.2.preheader ], [ %60, %for.body.1.preheader ]
  %v92.15.sink.in = phi ptr addrspace(1) [ %v91.15, %for.body.2.preheader ], [ %v71.15, %for.body.1.preheader ]
  %v92.15.sink = load float, ptr addrspace(1) %v92.15.sink.in, align 4
  %v99.15 = getelementptr i8, ptr addrspace(3) %.sink, i64 960
  store float %v92.15.sink, ptr addrspace(3) %v99.15, align 4
  tail call spir_func void @_Z7barrierj(i32 1)
  br i1 %v28, label %for.cond.4.preheader, label %for.cond.5.preheader

for.cond.5.preheader:                             ; preds = %if.end
  %v182 = shl nuw nsw i32 %v26, 4
  br label %for.cond.6.preheader

for.cond.4.preheader:                             ; preds = %if.end, %for.inc.3
  %indvar = phi i32 [ %indvar.next, %for.inc.3 ], [ 0, %if.end ]
  %i.3.074 = phi i32 [ %v138, %for.inc.3 ], [ 1, %if.end ]
  %v111 = shl nuw nsw i32 %i.3.074, 4
  %v129 = add nsw i32 %v111, %v26
  %v130 = sext i32 %v129 to i64
  %v131 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v130
  %v131.promoted = load float, ptr addrspace(3) %v131, align 4
  %xtraiter84 = and i32 %i.3.074, 3
  %61 = icmp ult i32 %indvar, 3
  br i1 %61, label %for.body.4.epil.preheader, label %for.cond.4.preheader.new

for.cond.4.preheader.new:                         ; preds = %for.cond.4.preheader
  %unroll_iter88 = and i32 %i.3.074, 2147483644
  br label %for.body.4

for.body.4:                                       ; preds = %for.body.4, %for.cond.4.preheader.new
  %j.073 = phi i32 [ 0, %for.cond.4.preheader.new ], [ %v136.3, %for.body.4 ]
  %v1347172 = phi float [ %v131.promoted, %for.cond.4.preheader.new ], [ %v134.3, %for.body.4 ]
  %niter89 = phi i32 [ 0, %for.cond.4.preheader.new ], [ %niter89.next.3, %for.body.4 ]
  %v113 = add nuw nsw i32 %j.073, %v111
  %v114 = zext nneg i32 %v113 to i64
  %v115 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v114
  %v116 = load float, ptr addrspace(3) %v115, align 4
  %v119 = shl nuw nsw i32 %j.073, 4
  %v121 = add nsw i32 %v119, %v26
  %v122 = sext i32 %v121 to i64
  %v123 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v122
  %v124 = load float, ptr addrspace(3) %v123, align 4
  %v133 = fneg float %v116
  %v134 = tail call float @llvm.fmuladd.f32(float %v133, float %v124, float %v1347172)
  store float %v134, ptr addrspace(3) %v131, align 4
  %v136 = or disjoint i32 %j.073, 1
  %v113.1 = add nuw nsw i32 %v136, %v111
  %v114.1 = zext nneg i32 %v113.1 to i64
  %v115.1 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v114.1
  %v116.1 = load float, ptr addrspace(3) %v115.1, align 4
  %v119.1 = shl nuw nsw i32 %v136, 4
  %v121.1 = add nsw i32 %v119.1, %v26
  %v122.1 = sext i32 %v121.1 to i64
  %v123.1 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v122.1
  %v124.1 = load float, ptr addrspace(3) %v123.1, align 4
  %v133.1 = fneg float %v116.1
  %v134.1 = tail call float @llvm.fmuladd.f32(float %v133.1, float %v124.1, float %v134)
  store float %v134.1, ptr addrspace(3) %v131, align 4
  %v136.1 = or disjoint i32 %j.073, 2
  %v113.2 = add nuw nsw i32 %v136.1, %v111
  %v114.2 = zext nneg i32 %v113.2 to i64
  %v115.2 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v114.2
  %v116.2 = load float, ptr addrspace(3) %v115.2, align 4
  %v119.2 = shl nuw nsw i32 %v136.1, 4
  %v121.2 = add nsw i32 %v119.2, %v26
  %v122.2 = sext i32 %v121.2 to i64
  %v123.2 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v122.2
  %v124.2 = load float, ptr addrspace(3) %v123.2, align 4
  %v133.2 = fneg float %v116.2
  %v134.2 = tail call float @llvm.fmuladd.f32(float %v133.2, float %v124.2, float %v134.1)
  store float %v134.2, ptr addrspace(3) %v131, align 4
  %v136.2 = or disjoint i32 %j.073, 3
  %v113.3 = add nuw nsw i32 %v136.2, %v111
  %v114.3 = zext nneg i32 %v113.3 to i64
  %v115.3 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v114.3
  %v116.3 = load float, ptr addrspace(3) %v115.3, align 4
  %v119.3 = shl nuw nsw i32 %v136.2, 4
  %v121.3 = add nsw i32 %v119.3, %v26
  %v122.3 = sext i32 %v121.3 to i64
  %v123.3 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v122.3
  %v124.3 = load float, ptr addrspace(3) %v123.3, align 4
  %v133.3 = fneg float %v116.3
  %v134.3 = tail call float @llvm.fmuladd.f32(float %v133.3, float %v124.3, float %v134.2)
  store float %v134.3, ptr addrspace(3) %v131, align 4
  %v136.3 = add nuw nsw i32 %j.073, 4
  %niter89.next.3 = add i32 %niter89, 4
  %niter89.ncmp.3.not = icmp eq i32 %niter89.next.3, %unroll_iter88
  br i1 %niter89.ncmp.3.not, label %for.inc.3.unr-lcssa, label %for.body.4

for.inc.3.unr-lcssa:                              ; preds = %for.body.4
  %lcmp.mod86.not = icmp eq i32 %xtraiter84, 0
  br i1 %lcmp.mod86.not, label %for.inc.3, label %for.body.4.epil.preheader

for.body.4.epil.preheader:                        ; preds = %for.inc.3.unr-lcssa, %for.cond.4.preheader
  %j.073.epil.init = phi i32 [ 0, %for.cond.4.preheader ], [ %v136.3, %for.inc.3.unr-lcssa ]
  %v1347172.epil.init = phi float [ %v131.promoted, %for.cond.4.preheader ], [ %v134.3, %for.inc.3.unr-lcssa ]
  %lcmp.mod87 = icmp ne i32 %xtraiter84, 0
  tail call void @llvm.assume(i1 %lcmp.mod87)
  br label %for.body.4.epil

for.body.4.epil:                                  ; preds = %for.body.4.epil, %for.body.4.epil.preheader
  %j.073.epil = phi i32 [ %j.073.epil.init, %for.body.4.epil.preheader ], [ %v136.epil, %for.body.4.epil ]
  %v1347172.epil = phi float [ %v1347172.epil.init, %for.body.4.epil.preheader ], [ %v134.epil, %for.body.4.epil ]
  %epil.iter85 = phi i32 [ 0, %for.body.4.epil.preheader ], [ %epil.iter85.next, %for.body.4.epil ]
  %v113.epil = add nuw nsw i32 %j.073.epil, %v111
  %v114.epil = zext nneg i32 %v113.epil to i64
  %v115.epil = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v114.epil
  %v116.epil = load float, ptr addrspace(3) %v115.epil, align 4
  %v119.epil = shl nuw nsw i32 %j.073.epil, 4
  %v121.epil = add nsw i32 %v119.epil, %v26
  %v122.epil = sext i32 %v121.epil to i64
  %v123.epil = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v122.epil
  %v124.epil = load float, ptr addrspace(3) %v123.epil, align 4
  %v133.epil = fneg float %v116.epil
  %v134.epil = tail call float @llvm.fmuladd.f32(float %v133.epil, float %v124.epil, float %v1347172.epil)
  store float %v134.epil, ptr addrspace(3) %v131, align 4
  %v136.epil = add nuw nsw i32 %j.073.epil, 1
  %epil.iter85.next = add i32 %epil.iter85, 1
  %epil.iter85.cmp.not = icmp eq i32 %epil.iter85.next, %xtraiter84
  br i1 %epil.iter85.cmp.not, label %for.inc.3, label %for.body.4.epil

for.inc.3:                                        ; preds = %for.body.4.epil, %for.inc.3.unr-lcssa
  %v138 = add nuw nsw i32 %i.3.074, 1
  %v105 = icmp samesign ult i32 %i.3.074, 15
  %indvar.next = add i32 %indvar, 1
  br i1 %v105, label %for.cond.4.preheader, label %if.end.1

for.cond.6.preheader:                             ; preds = %for.cond.5.preheader, %for.end.6
  %i.4.070 = phi i32 [ 0, %for.cond.5.preheader ], [ %v190, %for.end.6 ]
  %v14367.not = icmp eq i32 %i.4.070, 0
  br i1 %v14367.not, label %for.end.6, label %for.body.6.lr.ph

for.body.6.lr.ph:                                 ; preds = %for.cond.6.preheader
  %v164 = or disjoint i32 %i.4.070, %v182
  %v165 = zext nneg i32 %v164 to i64
  %v166 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v165
  %v166.promoted = load float, ptr addrspace(3) %v166, align 4
  %xtraiter = and i32 %i.4.070, 3
  %62 = icmp samesign ult i32 %i.4.070, 4
  br i1 %62, label %for.body.6.epil.preheader, label %for.body.6.lr.ph.new

for.body.6.lr.ph.new:                             ; preds = %for.body.6.lr.ph
  %unroll_iter = and i32 %i.4.070, 2147483644
  br label %for.body.6

for.body.6:                                       ; preds = %for.body.6, %for.body.6.lr.ph.new
  %v16969 = phi float [ %v166.promoted, %for.body.6.lr.ph.new ], [ %v169.3, %for.body.6 ]
  %j.1.068 = phi i32 [ 0, %for.body.6.lr.ph.new ], [ %v171.3, %for.body.6 ]
  %niter = phi i32 [ 0, %for.body.6.lr.ph.new ], [ %niter.next.3, %for.body.6 ]
  %v148 = add nuw nsw i32 %j.1.068, %v182
  %v149 = zext nneg i32 %v148 to i64
  %v150 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v149
  %v151 = load float, ptr addrspace(3) %v150, align 4
  %v154 = shl nuw nsw i32 %j.1.068, 4
  %v156 = add nuw nsw i32 %v154, %i.4.070
  %v157 = zext nneg i32 %v156 to i64
  %v158 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v157
  %v159 = load float, ptr addrspace(3) %v158, align 4
  %v168 = fneg float %v151
  %v169 = tail call float @llvm.fmuladd.f32(float %v168, float %v159, float %v16969)
  store float %v169, ptr addrspace(3) %v166, align 4
  %v171 = or disjoint i32 %j.1.068, 1
  %v148.1 = add nuw nsw i32 %v171, %v182
  %v149.1 = zext nneg i32 %v148.1 to i64
  %v150.1 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v149.1
  %v151.1 = load float, ptr addrspace(3) %v150.1, align 4
  %v154.1 = shl nuw nsw i32 %v171, 4
  %v156.1 = add nuw nsw i32 %v154.1, %i.4.070
  %v157.1 = zext nneg i32 %v156.1 to i64
  %v158.1 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v157.1
  %v159.1 = load float, ptr addrspace(3) %v158.1, align 4
  %v168.1 = fneg float %v151.1
  %v169.1 = tail call float @llvm.fmuladd.f32(float %v168.1, float %v159.1, float %v169)
  store float %v169.1, ptr addrspace(3) %v166, align 4
  %v171.1 = or disjoint i32 %j.1.068, 2
  %v148.2 = add nuw nsw i32 %v171.1, %v182
  %v149.2 = zext nneg i32 %v148.2 to i64
  %v150.2 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v149.2
  %v151.2 = load float, ptr addrspace(3) %v150.2, align 4
  %v154.2 = shl nuw nsw i32 %v171.1, 4
  %v156.2 = add nuw nsw i32 %v154.2, %i.4.070
  %v157.2 = zext nneg i32 %v156.2 to i64
  %v158.2 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v157.2
  %v159.2 = load float, ptr addrspace(3) %v158.2, align 4
  %v168.2 = fneg float %v151.2
  %v169.2 = tail call float @llvm.fmuladd.f32(float %v168.2, float %v159.2, float %v169.1)
  store float %v169.2, ptr addrspace(3) %v166, align 4
  %v171.2 = or disjoint i32 %j.1.068, 3
  %v148.3 = add nuw nsw i32 %v171.2, %v182
  %v149.3 = zext nneg i32 %v148.3 to i64
  %v150.3 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v149.3
  %v151.3 = load float, ptr addrspace(3) %v150.3, align 4
  %v154.3 = shl nuw nsw i32 %v171.2, 4
  %v156.3 = add nuw nsw i32 %v154.3, %i.4.070
  %v157.3 = zext nneg i32 %v156.3 to i64
  %v158.3 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v157.3
  %v159.3 = load float, ptr addrspace(3) %v158.3, align 4
  %v168.3 = fneg float %v151.3
  %v169.3 = tail call float @llvm.fmuladd.f32(float %v168.3, float %v159.3, float %v169.2)
  store float %v169.3, ptr addrspace(3) %v166, align 4
  %v171.3 = add nuw nsw i32 %j.1.068, 4
  %niter.next.3 = add i32 %niter, 4
  %niter.ncmp.3.not = icmp eq i32 %niter.next.3, %unroll_iter
  br i1 %niter.ncmp.3.not, label %for.end.6.loopexit.unr-lcssa, label %for.body.6

for.end.6.loopexit.unr-lcssa:                     ; preds = %for.body.6
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  br i1 %lcmp.mod.not, label %for.end.6, label %for.body.6.epil.preheader

for.body.6.epil.preheader:                        ; preds = %for.end.6.loopexit.unr-lcssa, %for.body.6.lr.ph
  %v16969.epil.init = phi float [ %v166.promoted, %for.body.6.lr.ph ], [ %v169.3, %for.end.6.loopexit.unr-lcssa ]
  %j.1.068.epil.init = phi i32 [ 0, %for.body.6.lr.ph ], [ %v171.3, %for.end.6.loopexit.unr-lcssa ]
  %lcmp.mod83 = icmp ne i32 %xtraiter, 0
  tail call void @llvm.assume(i1 %lcmp.mod83)
  br label %for.body.6.epil

for.body.6.epil:                                  ; preds = %for.body.6.epil, %for.body.6.epil.preheader
  %v16969.epil = phi float [ %v16969.epil.init, %for.body.6.epil.preheader ], [ %v169.epil, %for.body.6.epil ]
  %j.1.068.epil = phi i32 [ %j.1.068.epil.init, %for.body.6.epil.preheader ], [ %v171.epil, %for.body.6.epil ]
  %epil.iter = phi i32 [ 0, %for.body.6.epil.preheader ], [ %epil.iter.next, %for.body.6.epil ]
  %v148.epil = add nuw nsw i32 %j.1.068.epil, %v182
  %v149.epil = zext nneg i32 %v148.epil to i64
  %v150.epil = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v149.epil
  %v151.epil = load float, ptr addrspace(3) %v150.epil, align 4
  %v154.epil = shl nuw nsw i32 %j.1.068.epil, 4
  %v156.epil = add nuw nsw i32 %v154.epil, %i.4.070
  %v157.epil = zext nneg i32 %v156.epil to i64
  %v158.epil = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v157.epil
  %v159.epil = load float, ptr addrspace(3) %v158.epil, align 4
  %v168.epil = fneg float %v151.epil
  %v169.epil = tail call float @llvm.fmuladd.f32(float %v168.epil, float %v159.epil, float %v16969.epil)
  store float %v169.epil, ptr addrspace(3) %v166, align 4
  %v171.epil = add nuw nsw i32 %j.1.068.epil, 1
  %epil.iter.next = add i32 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i32 %epil.iter.next, %xtraiter
  br i1 %epil.iter.cmp.not, label %for.end.6, label %for.body.6.epil

for.end.6:                                        ; preds = %for.end.6.loopexit.unr-lcssa, %for.body.6.epil, %for.cond.6.preheader
  %v176 = mul nuw nsw i32 %i.4.070, 17
  %v177 = zext nneg i32 %v176 to i64
  %v178 = getelementptr inbounds nuw float, ptr addrspace(3) %dia, i64 %v177
  %v179 = load float, ptr addrspace(3) %v178, align 4
  %v184 = add nuw nsw i32 %i.4.070, %v182
  %v185 = zext nneg i32 %v184 to i64
  %v186 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v185
  %v187 = load float, ptr addrspace(3) %v186, align 4
  %v188 = fdiv float %v187, %v179
  store float %v188, ptr addrspace(3) %v186, align 4
  %v190 = add nuw nsw i32 %i.4.070, 1
  %v140 = icmp samesign ult i32 %i.4.070, 15
  br i1 %v140, label %for.cond.6.preheader, label %if.end.1

if.end.1:                                         ; preds = %for.end.6, %for.inc.3
  tail call spir_func void @_Z7barrierj(i32 1)
  br i1 %v28, label %for.body.7.preheader, label %for.body.8.preheader

for.body.8.preheader:                             ; preds = %if.end.1
  %v220 = zext nneg i32 %v26 to i64
  %v221 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %v220
  %v222 = load float, ptr addrspace(3) %v221, align 4
  %v229 = zext nneg i32 %v26 to i64
  %v230 = getelementptr inbounds nuw float, ptr addrspace(1) %v24, i64 %v229
  store float %v222, ptr addrspace(1) %v230, align 4
  %63 = zext nneg i32 %v26 to i64
  %64 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %63
  %v221.1 = getelementptr inbounds nuw i8, ptr addrspace(3) %64, i64 64
  %v222.1 = load float, ptr addrspace(3) %v221.1, align 4
  %v228.1 = add nsw i32 %matrix_dim, %v26
  %v229.1 = sext i32 %v228.1 to i64
  %v230.1 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.1
  store float %v222.1, ptr addrspace(1) %v230.1, align 4
  %65 = zext nneg i32 %v26 to i64
  %66 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %65
  %v221.2 = getelementptr inbounds nuw i8, ptr addrspace(3) %66, i64 128
  %v222.2 = load float, ptr addrspace(3) %v221.2, align 4
  %v226.2 = shl nsw i32 %matrix_dim, 1
  %v228.2 = add nsw i32 %v226.2, %v26
  %v229.2 = sext i32 %v228.2 to i64
  %v230.2 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.2
  store float %v222.2, ptr addrspace(1) %v230.2, align 4
  %67 = zext nneg i32 %v26 to i64
  %68 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %67
  %v221.3 = getelementptr inbounds nuw i8, ptr addrspace(3) %68, i64 192
  %v222.3 = load float, ptr addrspace(3) %v221.3, align 4
  %v226.3 = mul nsw i32 %matrix_dim, 3
  %v228.3 = add nsw i32 %v226.3, %v26
  %v229.3 = sext i32 %v228.3 to i64
  %v230.3 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.3
  store float %v222.3, ptr addrspace(1) %v230.3, align 4
  %69 = zext nneg i32 %v26 to i64
  %70 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %69
  %v221.4 = getelementptr inbounds nuw i8, ptr addrspace(3) %70, i64 256
  %v222.4 = load float, ptr addrspace(3) %v221.4, align 4
  %v226.4 = shl nsw i32 %matrix_dim, 2
  %v228.4 = add nsw i32 %v226.4, %v26
  %v229.4 = sext i32 %v228.4 to i64
  %v230.4 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.4
  store float %v222.4, ptr addrspace(1) %v230.4, align 4
  %71 = zext nneg i32 %v26 to i64
  %72 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %71
  %v221.5 = getelementptr inbounds nuw i8, ptr addrspace(3) %72, i64 320
  %v222.5 = load float, ptr addrspace(3) %v221.5, align 4
  %v226.5 = mul nsw i32 %matrix_dim, 5
  %v228.5 = add nsw i32 %v226.5, %v26
  %v229.5 = sext i32 %v228.5 to i64
  %v230.5 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.5
  store float %v222.5, ptr addrspace(1) %v230.5, align 4
  %73 = zext nneg i32 %v26 to i64
  %74 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %73
  %v221.6 = getelementptr inbounds nuw i8, ptr addrspace(3) %74, i64 384
  %v222.6 = load float, ptr addrspace(3) %v221.6, align 4
  %v226.6 = mul nsw i32 %matrix_dim, 6
  %v228.6 = add nsw i32 %v226.6, %v26
  %v229.6 = sext i32 %v228.6 to i64
  %v230.6 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.6
  store float %v222.6, ptr addrspace(1) %v230.6, align 4
  %75 = zext nneg i32 %v26 to i64
  %76 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %75
  %v221.7 = getelementptr inbounds nuw i8, ptr addrspace(3) %76, i64 448
  %v222.7 = load float, ptr addrspace(3) %v221.7, align 4
  %v226.7 = mul nsw i32 %matrix_dim, 7
  %v228.7 = add nsw i32 %v226.7, %v26
  %v229.7 = sext i32 %v228.7 to i64
  %v230.7 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.7
  store float %v222.7, ptr addrspace(1) %v230.7, align 4
  %77 = zext nneg i32 %v26 to i64
  %78 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %77
  %v221.8 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i64 512
  %v222.8 = load float, ptr addrspace(3) %v221.8, align 4
  %v226.8 = shl nsw i32 %matrix_dim, 3
  %v228.8 = add nsw i32 %v226.8, %v26
  %v229.8 = sext i32 %v228.8 to i64
  %v230.8 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.8
  store float %v222.8, ptr addrspace(1) %v230.8, align 4
  %79 = zext nneg i32 %v26 to i64
  %80 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %79
  %v221.9 = getelementptr inbounds nuw i8, ptr addrspace(3) %80, i64 576
  %v222.9 = load float, ptr addrspace(3) %v221.9, align 4
  %v226.9 = mul nsw i32 %matrix_dim, 9
  %v228.9 = add nsw i32 %v226.9, %v26
  %v229.9 = sext i32 %v228.9 to i64
  %v230.9 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.9
  store float %v222.9, ptr addrspace(1) %v230.9, align 4
  %81 = zext nneg i32 %v26 to i64
  %82 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %81
  %v221.10 = getelementptr inbounds nuw i8, ptr addrspace(3) %82, i64 640
  %v222.10 = load float, ptr addrspace(3) %v221.10, align 4
  %v226.10 = mul nsw i32 %matrix_dim, 10
  %v228.10 = add nsw i32 %v226.10, %v26
  %v229.10 = sext i32 %v228.10 to i64
  %v230.10 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.10
  store float %v222.10, ptr addrspace(1) %v230.10, align 4
  %83 = zext nneg i32 %v26 to i64
  %84 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %83
  %v221.11 = getelementptr inbounds nuw i8, ptr addrspace(3) %84, i64 704
  %v222.11 = load float, ptr addrspace(3) %v221.11, align 4
  %v226.11 = mul nsw i32 %matrix_dim, 11
  %v228.11 = add nsw i32 %v226.11, %v26
  %v229.11 = sext i32 %v228.11 to i64
  %v230.11 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.11
  store float %v222.11, ptr addrspace(1) %v230.11, align 4
  %85 = zext nneg i32 %v26 to i64
  %86 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %85
  %v221.12 = getelementptr inbounds nuw i8, ptr addrspace(3) %86, i64 768
  %v222.12 = load float, ptr addrspace(3) %v221.12, align 4
  %v226.12 = mul nsw i32 %matrix_dim, 12
  %v228.12 = add nsw i32 %v226.12, %v26
  %v229.12 = sext i32 %v228.12 to i64
  %v230.12 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.12
  store float %v222.12, ptr addrspace(1) %v230.12, align 4
  %87 = zext nneg i32 %v26 to i64
  %88 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %87
  %v221.13 = getelementptr inbounds nuw i8, ptr addrspace(3) %88, i64 832
  %v222.13 = load float, ptr addrspace(3) %v221.13, align 4
  %v226.13 = mul nsw i32 %matrix_dim, 13
  %v228.13 = add nsw i32 %v226.13, %v26
  %v229.13 = sext i32 %v228.13 to i64
  %v230.13 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.13
  store float %v222.13, ptr addrspace(1) %v230.13, align 4
  %89 = zext nneg i32 %v26 to i64
  %90 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %89
  %v221.14 = getelementptr inbounds nuw i8, ptr addrspace(3) %90, i64 896
  %v222.14 = load float, ptr addrspace(3) %v221.14, align 4
  %v226.14 = mul nsw i32 %matrix_dim, 14
  %v228.14 = add nsw i32 %v226.14, %v26
  %v229.14 = sext i32 %v228.14 to i64
  %v230.14 = getelementptr inbounds float, ptr addrspace(1) %v24, i64 %v229.14
  store float %v222.14, ptr addrspace(1) %v230.14, align 4
  %91 = zext nneg i32 %v26 to i64
  %92 = getelementptr inbounds nuw float, ptr addrspace(3) %peri_col, i64 %91
  br label %return

for.body.7.preheader:                             ; preds = %if.end.1
  %93 = sext i32 %v26 to i64
  %94 = getelementptr float, ptr addrspace(3) %peri_row, i64 %93
  %v201 = getelementptr i8, ptr addrspace(3) %94, i64 64
  %v202 = load float, ptr addrspace(3) %v201, align 4
  %v208 = add nsw i32 %matrix_dim, %v26
  %v209 = sext i32 %v208 to i64
  %v210 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209
  store float %v202, ptr addrspace(1) %v210, align 4
  %95 = sext i32 %v26 to i64
  %96 = getelementptr float, ptr addrspace(3) %peri_row, i64 %95
  %v201.1 = getelementptr i8, ptr addrspace(3) %96, i64 128
  %v202.1 = load float, ptr addrspace(3) %v201.1, align 4
  %v206.1 = shl nsw i32 %matrix_dim, 1
  %v208.1 = add nsw i32 %v206.1, %v26
  %v209.1 = sext i32 %v208.1 to i64
  %v210.1 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.1
  store float %v202.1, ptr addrspace(1) %v210.1, align 4
  %97 = sext i32 %v26 to i64
  %98 = getelementptr float, ptr addrspace(3) %peri_row, i64 %97
  %v201.2 = getelementptr i8, ptr addrspace(3) %98, i64 192
  %v202.2 = load float, ptr addrspace(3) %v201.2, align 4
  %v206.2 = mul nsw i32 %matrix_dim, 3
  %v208.2 = add nsw i32 %v206.2, %v26
  %v209.2 = sext i32 %v208.2 to i64
  %v210.2 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.2
  store float %v202.2, ptr addrspace(1) %v210.2, align 4
  %99 = sext i32 %v26 to i64
  %100 = getelementptr float, ptr addrspace(3) %peri_row, i64 %99
  %v201.3 = getelementptr i8, ptr addrspace(3) %100, i64 256
  %v202.3 = load float, ptr addrspace(3) %v201.3, align 4
  %v206.3 = shl nsw i32 %matrix_dim, 2
  %v208.3 = add nsw i32 %v206.3, %v26
  %v209.3 = sext i32 %v208.3 to i64
  %v210.3 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.3
  store float %v202.3, ptr addrspace(1) %v210.3, align 4
  %101 = sext i32 %v26 to i64
  %102 = getelementptr float, ptr addrspace(3) %peri_row, i64 %101
  %v201.4 = getelementptr i8, ptr addrspace(3) %102, i64 320
  %v202.4 = load float, ptr addrspace(3) %v201.4, align 4
  %v206.4 = mul nsw i32 %matrix_dim, 5
  %v208.4 = add nsw i32 %v206.4, %v26
  %v209.4 = sext i32 %v208.4 to i64
  %v210.4 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.4
  store float %v202.4, ptr addrspace(1) %v210.4, align 4
  %103 = sext i32 %v26 to i64
  %104 = getelementptr float, ptr addrspace(3) %peri_row, i64 %103
  %v201.5 = getelementptr i8, ptr addrspace(3) %104, i64 384
  %v202.5 = load float, ptr addrspace(3) %v201.5, align 4
  %v206.5 = mul nsw i32 %matrix_dim, 6
  %v208.5 = add nsw i32 %v206.5, %v26
  %v209.5 = sext i32 %v208.5 to i64
  %v210.5 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.5
  store float %v202.5, ptr addrspace(1) %v210.5, align 4
  %105 = sext i32 %v26 to i64
  %106 = getelementptr float, ptr addrspace(3) %peri_row, i64 %105
  %v201.6 = getelementptr i8, ptr addrspace(3) %106, i64 448
  %v202.6 = load float, ptr addrspace(3) %v201.6, align 4
  %v206.6 = mul nsw i32 %matrix_dim, 7
  %v208.6 = add nsw i32 %v206.6, %v26
  %v209.6 = sext i32 %v208.6 to i64
  %v210.6 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.6
  store float %v202.6, ptr addrspace(1) %v210.6, align 4
  %107 = sext i32 %v26 to i64
  %108 = getelementptr float, ptr addrspace(3) %peri_row, i64 %107
  %v201.7 = getelementptr i8, ptr addrspace(3) %108, i64 512
  %v202.7 = load float, ptr addrspace(3) %v201.7, align 4
  %v206.7 = shl nsw i32 %matrix_dim, 3
  %v208.7 = add nsw i32 %v206.7, %v26
  %v209.7 = sext i32 %v208.7 to i64
  %v210.7 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.7
  store float %v202.7, ptr addrspace(1) %v210.7, align 4
  %109 = sext i32 %v26 to i64
  %110 = getelementptr float, ptr addrspace(3) %peri_row, i64 %109
  %v201.8 = getelementptr i8, ptr addrspace(3) %110, i64 576
  %v202.8 = load float, ptr addrspace(3) %v201.8, align 4
  %v206.8 = mul nsw i32 %matrix_dim, 9
  %v208.8 = add nsw i32 %v206.8, %v26
  %v209.8 = sext i32 %v208.8 to i64
  %v210.8 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.8
  store float %v202.8, ptr addrspace(1) %v210.8, align 4
  %111 = sext i32 %v26 to i64
  %112 = getelementptr float, ptr addrspace(3) %peri_row, i64 %111
  %v201.9 = getelementptr i8, ptr addrspace(3) %112, i64 640
  %v202.9 = load float, ptr addrspace(3) %v201.9, align 4
  %v206.9 = mul nsw i32 %matrix_dim, 10
  %v208.9 = add nsw i32 %v206.9, %v26
  %v209.9 = sext i32 %v208.9 to i64
  %v210.9 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.9
  store float %v202.9, ptr addrspace(1) %v210.9, align 4
  %113 = sext i32 %v26 to i64
  %114 = getelementptr float, ptr addrspace(3) %peri_row, i64 %113
  %v201.10 = getelementptr i8, ptr addrspace(3) %114, i64 704
  %v202.10 = load float, ptr addrspace(3) %v201.10, align 4
  %v206.10 = mul nsw i32 %matrix_dim, 11
  %v208.10 = add nsw i32 %v206.10, %v26
  %v209.10 = sext i32 %v208.10 to i64
  %v210.10 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.10
  store float %v202.10, ptr addrspace(1) %v210.10, align 4
  %115 = sext i32 %v26 to i64
  %116 = getelementptr float, ptr addrspace(3) %peri_row, i64 %115
  %v201.11 = getelementptr i8, ptr addrspace(3) %116, i64 768
  %v202.11 = load float, ptr addrspace(3) %v201.11, align 4
  %v206.11 = mul nsw i32 %matrix_dim, 12
  %v208.11 = add nsw i32 %v206.11, %v26
  %v209.11 = sext i32 %v208.11 to i64
  %v210.11 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.11
  store float %v202.11, ptr addrspace(1) %v210.11, align 4
  %117 = sext i32 %v26 to i64
  %118 = getelementptr float, ptr addrspace(3) %peri_row, i64 %117
  %v201.12 = getelementptr i8, ptr addrspace(3) %118, i64 832
  %v202.12 = load float, ptr addrspace(3) %v201.12, align 4
  %v206.12 = mul nsw i32 %matrix_dim, 13
  %v208.12 = add nsw i32 %v206.12, %v26
  %v209.12 = sext i32 %v208.12 to i64
  %v210.12 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.12
  store float %v202.12, ptr addrspace(1) %v210.12, align 4
  %119 = sext i32 %v26 to i64
  %120 = getelementptr float, ptr addrspace(3) %peri_row, i64 %119
  %v201.13 = getelementptr i8, ptr addrspace(3) %120, i64 896
  %v202.13 = load float, ptr addrspace(3) %v201.13, align 4
  %v206.13 = mul nsw i32 %matrix_dim, 14
  %v208.13 = add nsw i32 %v206.13, %v26
  %v209.13 = sext i32 %v208.13 to i64
  %v210.13 = getelementptr inbounds float, ptr addrspace(1) %v18, i64 %v209.13
  store float %v202.13, ptr addrspace(1) %v210.13, align 4
  %121 = sext i32 %v26 to i64
  %122 = getelementptr float, ptr addrspace(3) %peri_row, i64 %121
  br label %return

return:                                           ; preds = %for.body.8.preheader, %for.body.7.preheader
  %.sink80 = phi ptr addrspace(3) [ %92, %for.body.8.preheader ], [ %122, %for.body.7.preheader ]
  %123 = phi i64 [ %v23, %for.body.8.preheader ], [ %v17, %for.body.7.preheader ]
  %124 = getelementptr inbounds float, ptr addrspace(1) %v14, i64 %123
  %v221.15 = getelementptr i8, ptr addrspace(3) %.sink80, i64 960
  %v222.15 = load float, ptr addrspace(3) %v221.15, align 4
  %v226.15 = mul nsw i32 %matrix_dim, 15
  %v228.15 = add nsw i32 %v226.15, %v26
  %v229.15 = sext i32 %v228.15 to i64
  %v230.15 = getelementptr inbounds float, ptr addrspace(1) %124, i64 %v229.15
  store float %v222.15, ptr addrspace(1) %v230.15, align 4
  ret void
}

; Function Attrs: convergent nounwind
define spir_kernel void @lud_internal(ptr addrspace(1) captures(none) %m, ptr addrspace(3) captures(none) %peri_row, ptr addrspace(3) captures(none) %peri_col, i32 %matrix_dim, i32 %offset) local_unnamed_addr #2 !dbg !157 !kernel_arg_addr_space !158 !kernel_arg_access_qual !159 !kernel_arg_type !160 !kernel_arg_base_type !160 !kernel_arg_type_qual !161 !kernel_arg_name !162 {
entry:
  %v0 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z12get_local_idj(i32 1)
  %v3 = trunc i64 %v2 to i32
  %v521 = zext i32 %offset to i64
  %v6 = tail call spir_func i64 @_Z12get_group_idj(i32 1)
  %v7 = shl i64 %v6, 4
  %v8 = add nuw nsw i64 %v521, 16
  %v9 = add i64 %v8, %v2
  %v12 = add i64 %v9, %v7
  %v13 = trunc i64 %v12 to i32
  %v16 = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %v17 = shl i64 %v16, 4
  %v19 = add i64 %v8, %v0
  %v22 = add i64 %v19, %v17
  %v23 = trunc i64 %v22 to i32
  %v27 = add nsw i32 %offset, %v3
  %v29 = mul nsw i32 %v27, %matrix_dim
  %v31 = add nsw i32 %v29, %v23
  %v32 = sext i32 %v31 to i64
  %v33 = getelementptr inbounds float, ptr addrspace(1) %m, i64 %v32
  %v34 = load float, ptr addrspace(1) %v33, align 4
  %v37 = shl nsw i32 %v3, 4
  %v39 = add nsw i32 %v37, %v1
  %v40 = sext i32 %v39 to i64
  %v41 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v40
  store float %v34, ptr addrspace(3) %v41, align 4
  %v45 = mul nsw i32 %matrix_dim, %v13
  %v47 = add i32 %offset, %v1
  %v49 = add i32 %v47, %v45
  %v50 = sext i32 %v49 to i64
  %v51 = getelementptr inbounds float, ptr addrspace(1) %m, i64 %v50
  %v52 = load float, ptr addrspace(1) %v51, align 4
  %v59 = getelementptr inbounds float, ptr addrspace(3) %peri_col, i64 %v40
  store float %v52, ptr addrspace(3) %v59, align 4
  tail call spir_func void @_Z7barrierj(i32 1)
  %v67 = sext i32 %v37 to i64
  %v68 = getelementptr inbounds float, ptr addrspace(3) %peri_col, i64 %v67
  %v69 = load float, ptr addrspace(3) %v68, align 4
  %v75 = sext i32 %v1 to i64
  %v76 = getelementptr inbounds float, ptr addrspace(3) %peri_row, i64 %v75
  %v77 = load float, ptr addrspace(3) %v76, align 4
  %v79 = tail call float @llvm.fmuladd.f32(float %v69, float %v77, float 0.000000e+00)
  %0 = sext i32 %v37 to i64
  %1 = getelementptr float, ptr addrspace(3) %peri_col, i64 %0
  %v68.1 = getelementptr i8, ptr addrspace(3) %1, i64 4
  %v69.1 = load float, ptr addrspace(3) %v68.1, align 4
  %2 = sext i32 %v1 to i64
  %3 = getelementptr float, ptr addrspace(3) %peri_row, i64 %2
  %v76.1 = getelementptr i8, ptr addrspace(3) %3, i64 64
  %v77.1 = load float, ptr addrspace(3) %v76.1, align 4
  %v79.1 = tail call float @llvm.fmuladd.f32(float %v69.1, float %v77.1, float %v79)
  %4 = sext i32 %v37 to i64
  %5 = getelementptr float, ptr addrspace(3) %peri_col, i64 %4
  %v68.2 = getelementptr i8, ptr addrspace(3) %5, i64 8
  %v69.2 = load float, ptr addrspace(3) %v68.2, align 4
  %6 = sext i32 %v1 to i64
  %7 = getelementptr float, ptr addrspace(3) %peri_row, i64 %6
  %v76.2 = getelementptr i8, ptr addrspace(3) %7, i64 128
  %v77.2 = load float, ptr addrspace(3) %v76.2, align 4
  %v79.2 = tail call float @llvm.fmuladd.f32(float %v69.2, float %v77.2, float %v79.1)
  %8 = sext i32 %v37 to i64
  %9 = getelementptr float, ptr addrspace(3) %peri_col, i64 %8
  %v68.3 = getelementptr i8, ptr addrspace(3) %9, i64 12
  %v69.3 = load float, ptr addrspace(3) %v68.3, align 4
  %10 = sext i32 %v1 to i64
  %11 = getelementptr float, ptr addrspace(3) %peri_row, i64 %10
  %v76.3 = getelementptr i8, ptr addrspace(3) %11, i64 192
  %v77.3 = load float, ptr addrspace(3) %v76.3, align 4
  %v79.3 = tail call float @llvm.fmuladd.f32(float %v69.3, float %v77.3, float %v79.2)
  %12 = sext i32 %v37 to i64
  %13 = getelementptr float, ptr addrspace(3) %peri_col, i64 %12
  %v68.4 = getelementptr i8, ptr addrspace(3) %13, i64 16
  %v69.4 = load float, ptr addrspace(3) %v68.4, align 4
  %14 = sext i32 %v1 to i64
  %15 = getelementptr float, ptr addrspace(3) %peri_row, i64 %14
  %v76.4 = getelementptr i8, ptr addrspace(3) %15, i64 256
  %v77.4 = load float, ptr addrspace(3) %v76.4, align 4
  %v79.4 = tail call float @llvm.fmuladd.f32(float %v69.4, float %v77.4, float %v79.3)
  %16 = sext i32 %v37 to i64
  %17 = getelementptr float, ptr addrspace(3) %peri_col, i64 %16
  %v68.5 = getelementptr i8, ptr addrspace(3) %17, i64 20
  %v69.5 = load float, ptr addrspace(3) %v68.5, align 4
  %18 = sext i32 %v1 to i64
  %19 = getelementptr float, ptr addrspace(3) %peri_row, i64 %18
  %v76.5 = getelementptr i8, ptr addrspace(3) %19, i64 320
  %v77.5 = load float, ptr addrspace(3) %v76.5, align 4
  %v79.5 = tail call float @llvm.fmuladd.f32(float %v69.5, float %v77.5, float %v79.4)
  %20 = sext i32 %v37 to i64
  %21 = getelementptr float, ptr addrspace(3) %peri_col, i64 %20
  %v68.6 = getelementptr i8, ptr addrspace(3) %21, i64 24
  %v69.6 = load float, ptr addrspace(3) %v68.6, align 4
  %22 = sext i32 %v1 to i64
  %23 = getelementptr float, ptr addrspace(3) %peri_row, i64 %22
  %v76.6 = getelementptr i8, ptr addrspace(3) %23, i64 384
  %v77.6 = load float, ptr addrspace(3) %v76.6, align 4
  %v79.6 = tail call float @llvm.fmuladd.f32(float %v69.6, float %v77.6, float %v79.5)
  %24 = sext i32 %v37 to i64
  %25 = getelementptr float, ptr addrspace(3) %peri_col, i64 %24
  %v68.7 = getelementptr i8, ptr addrspace(3) %25, i64 28
  %v69.7 = load float, ptr addrspace(3) %v68.7, align 4
  %26 = sext i32 %v1 to i64
  %27 = getelementptr float, ptr addrspace(3) %peri_row, i64 %26
  %v76.7 = getelementptr i8, ptr addrspace(3) %27, i64 448
  %v77.7 = load float, ptr addrspace(3) %v76.7, align 4
  %v79.7 = tail call float @llvm.fmuladd.f32(float %v69.7, float %v77.7, float %v79.6)
  %28 = sext i32 %v37 to i64
  %29 = getelementptr float, ptr addrspace(3) %peri_col, i64 %28
  %v68.8 = getelementptr i8, ptr addrspace(3) %29, i64 32
  %v69.8 = load float, ptr addrspace(3) %v68.8, align 4
  %30 = sext i32 %v1 to i64
  %31 = getelementptr float, ptr addrspace(3) %peri_row, i64 %30
  %v76.8 = getelementptr i8, ptr addrspace(3) %31, i64 512
  %v77.8 = load float, ptr addrspace(3) %v76.8, align 4
  %v79.8 = tail call float @llvm.fmuladd.f32(float %v69.8, float %v77.8, float %v79.7)
  %32 = sext i32 %v37 to i64
  %33 = getelementptr float, ptr addrspace(3) %peri_col, i64 %32
  %v68.9 = getelementptr i8, ptr addrspace(3) %33, i64 36
  %v69.9 = load float, ptr addrspace(3) %v68.9, align 4
  %34 = sext i32 %v1 to i64
  %35 = getelementptr float, ptr addrspace(3) %peri_row, i64 %34
  %v76.9 = getelementptr i8, ptr addrspace(3) %35, i64 576
  %v77.9 = load float, ptr addrspace(3) %v76.9, align 4
  %v79.9 = tail call float @llvm.fmuladd.f32(float %v69.9, float %v77.9, float %v79.8)
  %36 = sext i32 %v37 to i64
  %37 = getelementptr float, ptr addrspace(3) %peri_col, i64 %36
  %v68.10 = getelementptr i8, ptr addrspace(3) %37, i64 40
  %v69.10 = load float, ptr addrspace(3) %v68.10, align 4
  %38 = sext i32 %v1 to i64
  %39 = getelementptr float, ptr addrspace(3) %peri_row, i64 %38
  %v76.10 = getelementptr i8, ptr addrspace(3) %39, i64 640
  %v77.10 = load float, ptr addrspace(3) %v76.10, align 4
  %v79.10 = tail call float @llvm.fmuladd.f32(float %v69.10, float %v77.10, float %v79.9)
  %40 = sext i32 %v37 to i64
  %41 = getelementptr float, ptr addrspace(3) %peri_col, i64 %40
  %v68.11 = getelementptr i8, ptr addrspace(3) %41, i64 44
  %v69.11 = load float, ptr addrspace(3) %v68.11, align 4
  %42 = sext i32 %v1 to i64
  %43 = getelementptr float, ptr addrspace(3) %peri_row, i64 %42
  %v76.11 = getelementptr i8, ptr addrspace(3) %43, i64 704
  %v77.11 = load float, ptr addrspace(3) %v76.11, align 4
  %v79.11 = tail call float @llvm.fmuladd.f32(float %v69.11, float %v77.11, float %v79.10)
  %44 = sext i32 %v37 to i64
  %45 = getelementptr float, ptr addrspace(3) %peri_col, i64 %44
  %v68.12 = getelementptr i8, ptr addrspace(3) %45, i64 48
  %v69.12 = load float, ptr addrspace(3) %v68.12, align 4
  %46 = sext i32 %v1 to i64
  %47 = getelementptr float, ptr addrspace(3) %peri_row, i64 %46
  %v76.12 = getelementptr i8, ptr addrspace(3) %47, i64 768
  %v77.12 = load float, ptr addrspace(3) %v76.12, align 4
  %v79.12 = tail call float @llvm.fmuladd.f32(float %v69.12, float %v77.12, float %v79.11)
  %48 = sext i32 %v37 to i64
  %49 = getelementptr float, ptr addrspace(3) %peri_col, i64 %48
  %v68.13 = getelementptr i8, ptr addrspace(3) %49, i64 52
  %v69.13 = load float, ptr addrspace(3) %v68.13, align 4
  %50 = sext i32 %v1 to i64
  %51 = getelementptr float, ptr addrspace(3) %peri_row, i64 %50
  %v76.13 = getelementptr i8, ptr addrspace(3) %51, i64 832
  %v77.13 = load float, ptr addrspace(3) %v76.13, align 4
  %v79.13 = tail call float @llvm.fmuladd.f32(float %v69.13, float %v77.13, float %v79.12)
  %52 = sext i32 %v37 to i64
  %53 = getelementptr float, ptr addrspace(3) %peri_col, i64 %52
  %v68.14 = getelementptr i8, ptr addrspace(3) %53, i64 56
  %v69.14 = load float, ptr addrspace(3) %v68.14, align 4
  %54 = sext i32 %v1 to i64
  %55 = getelementptr float, ptr addrspace(3) %peri_row, i64 %54
  %v76.14 = getelementptr i8, ptr addrspace(3) %55, i64 896
  %v77.14 = load float, ptr addrspace(3) %v76.14, align 4
  %v79.14 = tail call float @llvm.fmuladd.f32(float %v69.14, float %v77.14, float %v79.13)
  %56 = sext i32 %v37 to i64
  %57 = getelementptr float, ptr addrspace(3) %peri_col, i64 %56
  %v68.15 = getelementptr i8, ptr addrspace(3) %57, i64 60
  %v69.15 = load float, ptr addrspace(3) %v68.15, align 4
  %58 = sext i32 %v1 to i64
  %59 = getelementptr float, ptr addrspace(3) %peri_row, i64 %58
  %v76.15 = getelementptr i8, ptr addrspace(3) %59, i64 960
  %v77.15 = load float, ptr addrspace(3) %v76.15, align 4
  %v79.15 = tail call float @llvm.fmuladd.f32(float %v69.15, float %v77.15, float %v79.14)
  %v88 = add nsw i32 %v45, %v23
  %v89 = sext i32 %v88 to i64
  %v90 = getelementptr inbounds float, ptr addrspace(1) %m, i64 %v89
  %v91 = load float, ptr addrspace(1) %v90, align 4
  %v92 = fsub float %v91, %v79.15
  store float %v92, ptr addrspace(1) %v90, align 4
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #4

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
attributes #2 = { convergent nounwind "no-builtins" }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }



