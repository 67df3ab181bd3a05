; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @kmeans_kernel_c(ptr addrspace(1) readonly captures(none) %feature, ptr addrspace(1) readonly captures(none) %clusters, ptr addrspace(1) writeonly captures(none) %membership, i32 %npoints, i32 %nclusters, i32 %nfeatures, i32 %offset, i32 %size) local_unnamed_addr #1 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = icmp sgt i32 %npoints, %v1
  br i1 %v4, label %for.cond.preheader, label %return

for.cond.preheader:                               ; preds = %entry
  %v714 = icmp sgt i32 %nclusters, 0
  br i1 %v714, label %for.cond.1.preheader.lr.ph, label %for.end

for.cond.1.preheader.lr.ph:                       ; preds = %for.cond.preheader
  %v1011 = icmp sgt i32 %nfeatures, 0
  %xtraiter = and i32 %nfeatures, 3
  %0 = icmp ult i32 %nfeatures, 4
  %unroll_iter = and i32 %nfeatures, 2147483644
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  %lcmp.mod20 = icmp ne i32 %xtraiter, 0
  br label %for.cond.1.preheader

for.cond.1.preheader:                             ; preds = %for.cond.1.preheader.lr.ph, %for.end.1
  %nearest.017 = phi i32 [ 0, %for.cond.1.preheader.lr.ph ], [ %nearest.1, %for.end.1 ]
  %c.016 = phi i32 [ 0, %for.cond.1.preheader.lr.ph ], [ %v42, %for.end.1 ]
  %min_dist.015 = phi float [ 0x47EFFFFFE0000000, %for.cond.1.preheader.lr.ph ], [ %min_dist.1, %for.end.1 ]
  br i1 %v1011, label %for.body.1.lr.ph, label %for.end.1

for.body.1.lr.ph:                                 ; preds = %for.cond.1.preheader
  %v23 = mul nuw nsw i32 %c.016, %nfeatures
  br i1 %0, label %for.body.1.epil.preheader, label %for.body.1

for.body.1:                                       ; preds = %for.body.1.lr.ph, %for.body.1
  %f.013 = phi i32 [ %v35.3, %for.body.1 ], [ 0, %for.body.1.lr.ph ]
  %dist.012 = phi float [ %v33.3, %for.body.1 ], [ 0.000000e+00, %for.body.1.lr.ph ]
  %niter = phi i32 [ %niter.next.3, %for.body.1 ], [ 0, %for.body.1.lr.ph ]
  %v14 = mul nsw i32 %f.013, %npoints
  %v16 = add nsw i32 %v14, %v1
  %v17 = sext i32 %v16 to i64
  %v18 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v17
  %v19 = load float, ptr addrspace(1) %v18, align 4
  %v25 = add nuw nsw i32 %f.013, %v23
  %v26 = zext nneg i32 %v25 to i64
  %v27 = getelementptr inbounds nuw float, ptr addrspace(1) %clusters, i64 %v26
  %v28 = load float, ptr addrspace(1) %v27, align 4
  %v29 = fsub float %v19, %v28
  %v33 = tail call float @llvm.fmuladd.f32(float %v29, float %v29, float %dist.012)
  %v35 = or disjoint i32 %f.013, 1
  %v14.1 = mul nsw i32 %v35, %npoints
  %v16.1 = add nsw i32 %v14.1, %v1
  %v17.1 = sext i32 %v16.1 to i64
  %v18.1 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v17.1
  %v19.1 = load float, ptr addrspace(1) %v18.1, align 4
  %v25.1 = add nuw nsw i32 %v35, %v23
  %v26.1 = zext nneg i32 %v25.1 to i64
  %v27.1 = getelementptr inbounds nuw float, ptr addrspace(1) %clusters, i64 %v26.1
  %v28.1 = load float, ptr addrspace(1) %v27.1, align 4
  %v29.1 = fsub float %v19.1, %v28.1
  %v33.1 = tail call float @llvm.fmuladd.f32(float %v29.1, float %v29.1, float %v33)
  %v35.1 = or disjoint i32 %f.013, 2
  %v14.2 = mul nsw i32 %v35.1, %npoints
  %v16.2 = add nsw i32 %v14.2, %v1
  %v17.2 = sext i32 %v16.2 to i64
  %v18.2 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v17.2
  %v19.2 = load float, ptr addrspace(1) %v18.2, align 4
  %v25.2 = add nuw nsw i32 %v35.1, %v23
  %v26.2 = zext nneg i32 %v25.2 to i64
  %v27.2 = getelementptr inbounds nuw float, ptr addrspace(1) %clusters, i64 %v26.2
  %v28.2 = load float, ptr addrspace(1) %v27.2, align 4
  %v29.2 = fsub float %v19.2, %v28.2
  %v33.2 = tail call float @llvm.fmuladd.f32(float %v29.2, float %v29.2, float %v33.1)
  %v35.2 = or disjoint i32 %f.013, 3
  %v14.3 = mul nsw i32 %v35.2, %npoints
  %v16.3 = add nsw i32 %v14.3, %v1
  %v17.3 = sext i32 %v16.3 to i64
  %v18.3 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v17.3
  %v19.3 = load float, ptr addrspace(1) %v18.3, align 4
  %v25.3 = add nuw nsw i32 %v35.2, %v23
  %v26.3 = zext nneg i32 %v25.3 to i64
  %v27.3 = getelementptr inbounds nuw float, ptr addrspace(1) %clusters, i64 %v26.3
  %v28.3 = load float, ptr addrspace(1) %v27.3, align 4
  %v29.3 = fsub float %v19.3, %v28.3
  %v33.3 = tail call float @llvm.fmuladd.f32(float %v29.3, float %v29.3, float %v33.2)
  %v35.3 = add nuw nsw i32 %f.013, 4
  %niter.next.3 = add i32 %niter, 4
  %niter.ncmp.3.not = icmp eq i32 %niter.next.3, %unroll_iter
  br i1 %niter.ncmp.3.not, label %for.end.1.loopexit.unr-lcssa, label %for.body.1

for.end.1.loopexit.unr-lcssa:                     ; preds = %for.body.1
  br i1 %lcmp.mod.not, label %for.end.1, label %for.body.1.epil.preheader

for.body.1.epil.preheader:                        ; preds = %for.end.1.loopexit.unr-lcssa, %for.body.1.lr.ph
  %f.013.epil.init = phi i32 [ 0, %for.body.1.lr.ph ], [ %v35.3, %for.end.1.loopexit.unr-lcssa ]
  %dist.012.epil.init = phi float [ 0.000000e+00, %for.body.1.lr.ph ], [ %v33.3, %for.end.1.loopexit.unr-lcssa ]
  tail call void @llvm.assume(i1 %lcmp.mod20)
  br label %for.body.1.epil

for.body.1.epil:                                  ; preds = %for.body.1.epil, %for.body.1.epil.preheader
  %f.013.epil = phi i32 [ %f.013.epil.init, %for.body.1.epil.preheader ], [ %v35.epil, %for.body.1.epil ]
  %dist.012.epil = phi float [ %dist.012.epil.init, %for.body.1.epil.preheader ], [ %v33.epil, %for.body.1.epil ]
  %epil.iter = phi i32 [ 0, %for.body.1.epil.preheader ], [ %epil.iter.next, %for.body.1.epil ]
  %v14.epil = mul nsw i32 %f.013.epil, %npoints
  %v16.epil = add nsw i32 %v14.epil, %v1
  %v17.epil = sext i32 %v16.epil to i64
  %v18.epil = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v17.epil
  %v19.epil = load float, ptr addrspace(1) %v18.epil, align 4
  %v25.epil = add nuw nsw i32 %f.013.epil, %v23
  %v26.epil = zext nneg i32 %v25.epil to i64
  %v27.epil = getelementptr inbounds nuw float, ptr addrspace(1) %clusters, i64 %v26.epil
  %v28.epil = load float, ptr addrspace(1) %v27.epil, align 4
  %v29.epil = fsub float %v19.epil, %v28.epil
  %v33.epil = tail call float @llvm.fmuladd.f32(float %v29.epil, float %v29.epil, float %dist.012.epil)
  %v35.epil = add nuw nsw i32 %f.013.epil, 1
  %epil.iter.next = add i32 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i32 %epil.iter.next, %xtraiter
  br i1 %epil.iter.cmp.not, label %for.end.1, label %for.body.1.epil

for.end.1:                                        ; preds = %for.end.1.loopexit.unr-lcssa, %for.body.1.epil, %for.cond.1.preheader
  %dist.0.lcssa = phi float [ 0.000000e+00, %for.cond.1.preheader ], [ %v33.3, %for.end.1.loopexit.unr-lcssa ], [ %v33.epil, %for.body.1.epil ]
  %v38 = fcmp olt float %dist.0.lcssa, %min_dist.015
  %min_dist.1 = select i1 %v38, float %dist.0.lcssa, float %min_dist.015
  %nearest.1 = select i1 %v38, i32 %c.016, i32 %nearest.017
  %v42 = add nuw nsw i32 %c.016, 1
  %v7 = icmp slt i32 %v42, %nclusters
  br i1 %v7, label %for.cond.1.preheader, label %for.end

for.end:                                          ; preds = %for.end.1, %for.cond.preheader
  %nearest.0.lcssa = phi i32 [ 0, %for.cond.preheader ], [ %nearest.1, %for.end.1 ]
  %v46 = sext i32 %v1 to i64
  %v47 = getelementptr inbounds i32, ptr addrspace(1) %membership, i64 %v46
  store i32 %nearest.0.lcssa, ptr addrspace(1) %v47, align 4
  br label %return

return:                                           ; preds = %for.end, %entry
  ret void
}

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @kmeans_swap(ptr addrspace(1) readonly captures(none) %feature, ptr addrspace(1) writeonly captures(none) %feature_swap, i32 %npoints, i32 %nfeatures) local_unnamed_addr #1 !dbg !43 !kernel_arg_addr_space !44 !kernel_arg_access_qual !45 !kernel_arg_type !46 !kernel_arg_base_type !46 !kernel_arg_type_qual !47 !kernel_arg_name !48 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = icmp sgt i32 %npoints, %v1
  %v78 = icmp sgt i32 %nfeatures, 0
  %or.cond = select i1 %v4, i1 %v78, i1 false
  br i1 %or.cond, label %for.body.lr.ph, label %return

for.body.lr.ph:                                   ; preds = %entry
  %v11 = mul nsw i32 %nfeatures, %v1
  %xtraiter = and i32 %nfeatures, 3
  %0 = icmp ult i32 %nfeatures, 4
  br i1 %0, label %for.body.epil.preheader, label %for.body.lr.ph.new

for.body.lr.ph.new:                               ; preds = %for.body.lr.ph
  %unroll_iter = and i32 %nfeatures, 2147483644
  br label %for.body

for.body:                                         ; preds = %for.body, %for.body.lr.ph.new
  %f.09 = phi i32 [ 0, %for.body.lr.ph.new ], [ %v26.3, %for.body ]
  %niter = phi i32 [ 0, %for.body.lr.ph.new ], [ %niter.next.3, %for.body ]
  %v13 = add nsw i32 %f.09, %v11
  %v14 = sext i32 %v13 to i64
  %v15 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v14
  %v16 = load float, ptr addrspace(1) %v15, align 4
  %v20 = mul nsw i32 %f.09, %npoints
  %v22 = add nsw i32 %v20, %v1
  %v23 = sext i32 %v22 to i64
  %v24 = getelementptr inbounds float, ptr addrspace(1) %feature_swap, i64 %v23
  store float %v16, ptr addrspace(1) %v24, align 4
  %v26 = or disjoint i32 %f.09, 1
  %v13.1 = add nsw i32 %v26, %v11
  %v14.1 = sext i32 %v13.1 to i64
  %v15.1 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v14.1
  %v16.1 = load float, ptr addrspace(1) %v15.1, align 4
  %v20.1 = mul nsw i32 %v26, %npoints
  %v22.1 = add nsw i32 %v20.1, %v1
  %v23.1 = sext i32 %v22.1 to i64
  %v24.1 = getelementptr inbounds float, ptr addrspace(1) %feature_swap, i64 %v23.1
  store float %v16.1, ptr addrspace(1) %v24.1, align 4
  %v26.1 = or disjoint i32 %f.09, 2
  %v13.2 = add nsw i32 %v26.1, %v11
  %v14.2 = sext i32 %v13.2 to i64
  %v15.2 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v14.2
  %v16.2 = load float, ptr addrspace(1) %v15.2, align 4
  %v20.2 = mul nsw i32 %v26.1, %npoints
  %v22.2 = add nsw i32 %v20.2, %v1
  %v23.2 = sext i32 %v22.2 to i64
  %v24.2 = getelementptr inbounds float, ptr addrspace(1) %feature_swap, i64 %v23.2
  store float %v16.2, ptr addrspace(1) %v24.2, align 4
  %v26.2 = or disjoint i32 %f.09, 3
  %v13.3 = add nsw i32 %v26.2, %v11
  %v14.3 = sext i32 %v13.3 to i64
  %v15.3 = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v14.3
  %v16.3 = load float, ptr addrspace(1) %v15.3, align 4
  %v20.3 = mul nsw i32 %v26.2, %npoints
  %v22.3 = add nsw i32 %v20.3, %v1
  %v23.3 = sext i32 %v22.3 to i64
  %v24.3 = getelementptr inbounds float, ptr addrspace(1) %feature_swap, i64 %v23.3
  store float %v16.3, ptr addrspace(1) %v24.3, align 4
  %v26.3 = add nuw nsw i32 %f.09, 4
  %niter.next.3 = add i32 %niter, 4
  %niter.ncmp.3.not = icmp eq i32 %niter.next.3, %unroll_iter
  br i1 %niter.ncmp.3.not, label %return.loopexit.unr-lcssa, label %for.body

return.loopexit.unr-lcssa:                        ; preds = %for.body
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  br i1 %lcmp.mod.not, label %return, label %for.body.epil.preheader

for.body.epil.preheader:                          ; preds = %return.loopexit.unr-lcssa, %for.body.lr.ph
  %f.09.epil.init = phi i32 [ 0, %for.body.lr.ph ], [ %v26.3, %return.loopexit.unr-lcssa ]
  %lcmp.mod10 = icmp ne i32 %xtraiter, 0
  tail call void @llvm.assume(i1 %lcmp.mod10)
  br label %for.body.epil

for.body.epil:                                    ; preds = %for.body.epil, %for.body.epil.preheader
  %f.09.epil = phi i32 [ %f.09.epil.init, %for.body.epil.preheader ], [ %v26.epil, %for.body.epil ]
  %epil.iter = phi i32 [ 0, %for.body.epil.preheader ], [ %epil.iter.next, %for.body.epil ]
  %v13.epil = add nsw i32 %f.09.epil, %v11
  %v14.epil = sext i32 %v13.epil to i64
  %v15.epil = getelementptr inbounds float, ptr addrspace(1) %feature, i64 %v14.epil
  %v16.epil = load float, ptr addrspace(1) %v15.epil, align 4
  %v20.epil = mul nsw i32 %f.09.epil, %npoints
  %v22.epil = add nsw i32 %v20.epil, %v1
  %v23.epil = sext i32 %v22.epil to i64
  %v24.epil = getelementptr inbounds float, ptr addrspace(1) %feature_swap, i64 %v23.epil
  store float %v16.epil, ptr addrspace(1) %v24.epil, align 4
  %v26.epil = add nuw nsw i32 %f.09.epil, 1
  %epil.iter.next = add i32 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i32 %epil.iter.next, %xtraiter
  br i1 %epil.iter.cmp.not, label %return, label %for.body.epil

return:                                           ; preds = %return.loopexit.unr-lcssa, %for.body.epil, %entry
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { nofree nosync nounwind memory(argmem: readwrite) "no-builtins" }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }



