; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

@spmv_csr_vector_kernel.partialSums = internal unnamed_addr addrspace(3) global [128 x float] undef, align 4

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) local_unnamed_addr #0

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32) local_unnamed_addr #1

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @spmv_csr_scalar_kernel(ptr addrspace(1) noalias readonly captures(none) %val, ptr addrspace(1) noalias readonly captures(none) %vec, ptr addrspace(1) noalias readonly captures(none) %cols, ptr addrspace(1) noalias readonly captures(none) %rowDelimiters, i32 %dim, ptr addrspace(1) noalias writeonly captures(none) %out) local_unnamed_addr #2 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = icmp sgt i32 %dim, %v1
  br i1 %v4, label %if.then, label %return

if.then:                                          ; preds = %entry
  %0 = sext i32 %v1 to i64
  %1 = getelementptr i32, ptr addrspace(1) %rowDelimiters, i64 %0
  %v9 = getelementptr i8, ptr addrspace(1) %1, i64 4
  %v10 = load i32, ptr addrspace(1) %v9, align 4
  %v15 = load i32, ptr addrspace(1) %1, align 4
  %v187 = icmp slt i32 %v15, %v10
  br i1 %v187, label %for.body.preheader, label %for.end

for.body.preheader:                               ; preds = %if.then
  %2 = sub i32 %v10, %v15
  %xtraiter = and i32 %2, 7
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  br i1 %lcmp.mod.not, label %for.body.prol.loopexit, label %for.body.prol

for.body.prol:                                    ; preds = %for.body.preheader, %for.body.prol
  %j.09.prol = phi i32 [ %v36.prol, %for.body.prol ], [ %v15, %for.body.preheader ]
  %sum.08.prol = phi float [ %v34.prol, %for.body.prol ], [ 0.000000e+00, %for.body.preheader ]
  %prol.iter = phi i32 [ %prol.iter.next, %for.body.prol ], [ 0, %for.body.preheader ]
  %v21.prol = sext i32 %j.09.prol to i64
  %v22.prol = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.prol
  %v23.prol = load float, ptr addrspace(1) %v22.prol, align 4
  %v28.prol = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.prol
  %v29.prol = load i32, ptr addrspace(1) %v28.prol, align 4
  %v30.prol = sext i32 %v29.prol to i64
  %v31.prol = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.prol
  %v32.prol = load float, ptr addrspace(1) %v31.prol, align 4
  %v34.prol = tail call float @llvm.fmuladd.f32(float %v23.prol, float %v32.prol, float %sum.08.prol)
  %v36.prol = add nsw i32 %j.09.prol, 1
  %prol.iter.next = add i32 %prol.iter, 1
  %prol.iter.cmp.not = icmp eq i32 %prol.iter.next, %xtraiter
  br i1 %prol.iter.cmp.not, label %for.body.prol.loopexit, label %for.body.prol

for.body.prol.loopexit:                           ; preds = %for.body.prol, %for.body.preheader
  %j.09.unr = phi i32 [ %v15, %for.body.preheader ], [ %v36.prol, %for.body.prol ]
  %sum.08.unr = phi float [ 0.000000e+00, %for.body.preheader ], [ %v34.prol, %for.body.prol ]
  %v34.lcssa.unr = phi float [ poison, %for.body.preheader ], [ %v34.prol, %for.body.prol ]
  %3 = sub i32 %v15, %v10
  %4 = icmp ugt i32 %3, -8
  br i1 %4, label %for.end, label %for.body

for.body:                                         ; preds = %for.body.prol.loopexit, %for.body
  %j.09 = phi i32 [ %v36.7, %for.body ], [ %j.09.unr, %for.body.prol.loopexit ]
  %sum.08 = phi float [ %v34.7, %for.body ], [ %sum.08.unr, %for.body.prol.loopexit ]
  %v21 = sext i32 %j.09 to i64
  %v22 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21
  %v23 = load float, ptr addrspace(1) %v22, align 4
  %v28 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21
  %v29 = load i32, ptr addrspace(1) %v28, align 4
  %v30 = sext i32 %v29 to i64
  %v31 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30
  %v32 = load float, ptr addrspace(1) %v31, align 4
  %v34 = tail call float @llvm.fmuladd.f32(float %v23, float %v32, float %sum.08)
  %v36 = add nsw i32 %j.09, 1
  %v21.1 = sext i32 %v36 to i64
  %v22.1 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.1
  %v23.1 = load float, ptr addrspace(1) %v22.1, align 4
  %v28.1 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.1
  %v29.1 = load i32, ptr addrspace(1) %v28.1, align 4
  %v30.1 = sext i32 %v29.1 to i64
  %v31.1 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.1
  %v32.1 = load float, ptr addrspace(1) %v31.1, align 4
  %v34.1 = tail call float @llvm.fmuladd.f32(float %v23.1, float %v32.1, float %v34)
  %v36.1 = add nsw i32 %j.09, 2
  %v21.2 = sext i32 %v36.1 to i64
  %v22.2 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.2
  %v23.2 = load float, ptr addrspace(1) %v22.2, align 4
  %v28.2 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.2
  %v29.2 = load i32, ptr addrspace(1) %v28.2, align 4
  %v30.2 = sext i32 %v29.2 to i64
  %v31.2 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.2
  %v32.2 = load float, ptr addrspace(1) %v31.2, align 4
  %v34.2 = tail call float @llvm.fmuladd.f32(float %v23.2, float %v32.2, float %v34.1)
  %v36.2 = add nsw i32 %j.09, 3
  %v21.3 = sext i32 %v36.2 to i64
  %v22.3 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.3
  %v23.3 = load float, ptr addrspace(1) %v22.3, align 4
  %v28.3 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.3
  %v29.3 = load i32, ptr addrspace(1) %v28.3, align 4
  %v30.3 = sext i32 %v29.3 to i64
  %v31.3 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.3
  %v32.3 = load float, ptr addrspace(1) %v31.3, align 4
  %v34.3 = tail call float @llvm.fmuladd.f32(float %v23.3, float %v32.3, float %v34.2)
  %v36.3 = add nsw i32 %j.09, 4
  %v21.4 = sext i32 %v36.3 to i64
  %v22.4 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.4
  %v23.4 = load float, ptr addrspace(1) %v22.4, align 4
  %v28.4 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.4
  %v29.4 = load i32, ptr addrspace(1) %v28.4, align 4
  %v30.4 = sext i32 %v29.4 to i64
  %v31.4 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.4
  %v32.4 = load float, ptr addrspace(1) %v31.4, align 4
  %v34.4 = tail call float @llvm.fmuladd.f32(float %v23.4, float %v32.4, float %v34.3)
  %v36.4 = add nsw i32 %j.09, 5
  %v21.5 = sext i32 %v36.4 to i64
  %v22.5 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.5
  %v23.5 = load float, ptr addrspace(1) %v22.5, align 4
  %v28.5 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.5
  %v29.5 = load i32, ptr addrspace(1) %v28.5, align 4
  %v30.5 = sext i32 %v29.5 to i64
  %v31.5 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.5
  %v32.5 = load float, ptr addrspace(1) %v31.5, align 4
  %v34.5 = tail call float @llvm.fmuladd.f32(float %v23.5, float %v32.5, float %v34.4)
  %v36.5 = add nsw i32 %j.09, 6
  %v21.6 = sext i32 %v36.5 to i64
  %v22.6 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.6
  %v23.6 = load float, ptr addrspace(1) %v22.6, align 4
  %v28.6 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.6
  %v29.6 = load i32, ptr addrspace(1) %v28.6, align 4
  %v30.6 = sext i32 %v29.6 to i64
  %v31.6 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.6
  %v32.6 = load float, ptr addrspace(1) %v31.6, align 4
  %v34.6 = tail call float @llvm.fmuladd.f32(float %v23.6, float %v32.6, float %v34.5)
  %v36.6 = add nsw i32 %j.09, 7
  %v21.7 = sext i32 %v36.6 to i64
  %v22.7 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v21.7
  %v23.7 = load float, ptr addrspace(1) %v22.7, align 4
  %v28.7 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v21.7
  %v29.7 = load i32, ptr addrspace(1) %v28.7, align 4
  %v30.7 = sext i32 %v29.7 to i64
  %v31.7 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v30.7
  %v32.7 = load float, ptr addrspace(1) %v31.7, align 4
  %v34.7 = tail call float @llvm.fmuladd.f32(float %v23.7, float %v32.7, float %v34.6)
  %v36.7 = add nsw i32 %j.09, 8
  %v18.7 = icmp slt i32 %v36.7, %v10
  br i1 %v18.7, label %for.body, label %for.end

for.end:                                          ; preds = %for.body.prol.loopexit, %for.body, %if.then
  %sum.0.lcssa = phi float [ 0.000000e+00, %if.then ], [ %v34.lcssa.unr, %for.body.prol.loopexit ], [ %v34.7, %for.body ]
  %v41 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %0
  store float %sum.0.lcssa, ptr addrspace(1) %v41, align 4
  br label %return

return:                                           ; preds = %for.end, %entry
  ret void
}

; Function Attrs: convergent nounwind
define spir_kernel void @spmv_csr_vector_kernel(ptr addrspace(1) noalias readonly captures(none) %val, ptr addrspace(1) noalias readonly captures(none) %vec, ptr addrspace(1) noalias readonly captures(none) %cols, ptr addrspace(1) noalias readonly captures(none) %rowDelimiters, i32 %dim, i32 %vecWidth, ptr addrspace(1) noalias writeonly captures(none) %out) local_unnamed_addr #3 !dbg !37 !kernel_arg_addr_space !38 !kernel_arg_access_qual !39 !kernel_arg_type !40 !kernel_arg_base_type !40 !kernel_arg_type_qual !41 !kernel_arg_name !42 !reqd_work_group_size !43 {
entry:
  %v0 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = add nsw i32 %vecWidth, -1
  %v5 = and i32 %v4, %v1
  %v6 = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %v8 = sdiv i32 128, %vecWidth
  %v13 = sdiv i32 %v1, %vecWidth
  %0 = trunc i64 %v6 to i32
  %1 = mul i32 %v8, %0
  %v16 = add i32 %1, %v13
  %v19 = icmp sge i32 %v16, %dim
  br i1 %v19, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %2 = sext i32 %v16 to i64
  %3 = getelementptr i32, ptr addrspace(1) %rowDelimiters, i64 %2
  %v24 = getelementptr i8, ptr addrspace(1) %3, i64 4
  %v25 = load i32, ptr addrspace(1) %v24, align 4
  %v30 = load i32, ptr addrspace(1) %3, align 4
  %v32 = add nsw i32 %v30, %v5
  %v3524 = icmp slt i32 %v32, %v25
  br i1 %v3524, label %for.body, label %if.end

for.body:                                         ; preds = %if.then, %for.body
  %j.026 = phi i32 [ %v54, %for.body ], [ %v32, %if.then ]
  %sum.125 = phi float [ %v51, %for.body ], [ 0.000000e+00, %if.then ]
  %v38 = sext i32 %j.026 to i64
  %v39 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v38
  %v40 = load float, ptr addrspace(1) %v39, align 4
  %v45 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v38
  %v46 = load i32, ptr addrspace(1) %v45, align 4
  %v47 = sext i32 %v46 to i64
  %v48 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v47
  %v49 = load float, ptr addrspace(1) %v48, align 4
  %v51 = tail call float @llvm.fmuladd.f32(float %v40, float %v49, float %sum.125)
  %v54 = add nsw i32 %j.026, %vecWidth
  %v35 = icmp slt i32 %v54, %v25
  br i1 %v35, label %for.body, label %if.end

if.end:                                           ; preds = %for.body, %if.then, %entry
  %sum.0 = phi float [ 0.000000e+00, %entry ], [ 0.000000e+00, %if.then ], [ %v51, %for.body ]
  %v57 = sext i32 %v1 to i64
  %v58 = getelementptr inbounds float, ptr addrspace(3) @spmv_csr_vector_kernel.partialSums, i64 %v57
  store float %sum.0, ptr addrspace(3) %v58, align 4
  tail call spir_func void @_Z7barrierj(i32 1)
  %v6227 = icmp sgt i32 %vecWidth, 1
  br i1 %v6227, label %for.body.1.preheader, label %for.end.1

for.body.1.preheader:                             ; preds = %if.end
  %v602930 = lshr i32 %vecWidth, 1
  br label %for.body.1

for.body.1:                                       ; preds = %for.body.1.preheader, %if.end.1
  %reach.028 = phi i32 [ %v7823, %if.end.1 ], [ %v602930, %for.body.1.preheader ]
  %v65 = icmp slt i32 %v5, %reach.028
  br i1 %v65, label %if.then.1, label %if.end.1

if.then.1:                                        ; preds = %for.body.1
  %v68 = add nsw i32 %reach.028, %v1
  %v69 = sext i32 %v68 to i64
  %v70 = getelementptr inbounds float, ptr addrspace(3) @spmv_csr_vector_kernel.partialSums, i64 %v69
  %v71 = load float, ptr addrspace(3) %v70, align 4
  %v75 = load float, ptr addrspace(3) %v58, align 4
  %v76 = fadd float %v71, %v75
  store float %v76, ptr addrspace(3) %v58, align 4
  br label %if.end.1

if.end.1:                                         ; preds = %if.then.1, %for.body.1
  tail call spir_func void @_Z7barrierj(i32 1)
  %v7823 = lshr i32 %reach.028, 1
  %v62.not = icmp eq i32 %v7823, 0
  br i1 %v62.not, label %for.end.1, label %for.body.1

for.end.1:                                        ; preds = %if.end.1, %if.end
  %v80 = icmp ne i32 %v5, 0
  %brmerge = or i1 %v80, %v19
  br i1 %brmerge, label %return, label %if.then.2

if.then.2:                                        ; preds = %for.end.1
  %v90 = sext i32 %v16 to i64
  %v91 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %v90
  %v87 = load float, ptr addrspace(3) %v58, align 4
  store float %v87, ptr addrspace(1) %v91, align 4
  br label %return

return:                                           ; preds = %for.end.1, %if.then.2
  ret void
}

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @spmv_ellpackr_kernel(ptr addrspace(1) noalias readonly captures(none) %val, ptr addrspace(1) noalias readonly captures(none) %vec, ptr addrspace(1) noalias readonly captures(none) %cols, ptr addrspace(1) noalias readonly captures(none) %rowLengths, i32 %dim, ptr addrspace(1) noalias writeonly captures(none) %out) local_unnamed_addr #2 !dbg !84 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !85 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = icmp sgt i32 %dim, %v1
  br i1 %v4, label %if.then, label %return

if.then:                                          ; preds = %entry
  %v7 = sext i32 %v1 to i64
  %v8 = getelementptr inbounds i32, ptr addrspace(1) %rowLengths, i64 %v7
  %v9 = load i32, ptr addrspace(1) %v8, align 4
  %v128 = icmp sgt i32 %v9, 0
  br i1 %v128, label %for.body.preheader, label %for.end

for.body.preheader:                               ; preds = %if.then
  %xtraiter = and i32 %v9, 3
  %0 = icmp ult i32 %v9, 4
  br i1 %0, label %for.body.epil.preheader, label %for.body.preheader.new

for.body.preheader.new:                           ; preds = %for.body.preheader
  %unroll_iter = and i32 %v9, 2147483644
  br label %for.body

for.body:                                         ; preds = %for.body, %for.body.preheader.new
  %sum.010 = phi float [ 0.000000e+00, %for.body.preheader.new ], [ %v33.3, %for.body ]
  %i.09 = phi i32 [ 0, %for.body.preheader.new ], [ %v35.3, %for.body ]
  %niter = phi i32 [ 0, %for.body.preheader.new ], [ %niter.next.3, %for.body ]
  %v15 = mul nsw i32 %i.09, %dim
  %v17 = add nsw i32 %v15, %v1
  %v20 = sext i32 %v17 to i64
  %v21 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v20
  %v22 = load float, ptr addrspace(1) %v21, align 4
  %v27 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v20
  %v28 = load i32, ptr addrspace(1) %v27, align 4
  %v29 = sext i32 %v28 to i64
  %v30 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v29
  %v31 = load float, ptr addrspace(1) %v30, align 4
  %v33 = tail call float @llvm.fmuladd.f32(float %v22, float %v31, float %sum.010)
  %v35 = or disjoint i32 %i.09, 1
  %v15.1 = mul nsw i32 %v35, %dim
  %v17.1 = add nsw i32 %v15.1, %v1
  %v20.1 = sext i32 %v17.1 to i64
  %v21.1 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v20.1
  %v22.1 = load float, ptr addrspace(1) %v21.1, align 4
  %v27.1 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v20.1
  %v28.1 = load i32, ptr addrspace(1) %v27.1, align 4
  %v29.1 = sext i32 %v28.1 to i64
  %v30.1 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v29.1
  %v31.1 = load float, ptr addrspace(1) %v30.1, align 4
  %v33.1 = tail call float @llvm.fmuladd.f32(float %v22.1, float %v31.1, float %v33)
  %v35.1 = or disjoint i32 %i.09, 2
  %v15.2 = mul nsw i32 %v35.1, %dim
  %v17.2 = add nsw i32 %v15.2, %v1
  %v20.2 = sext i32 %v17.2 to i64
  %v21.2 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v20.2
  %v22.2 = load float, ptr addrspace(1) %v21.2, align 4
  %v27.2 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v20.2
  %v28.2 = load i32, ptr addrspace(1) %v27.2, align 4
  %v29.2 = sext i32 %v28.2 to i64
  %v30.2 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v29.2
  %v31.2 = load float, ptr addrspace(1) %v30.2, align 4
  %v33.2 = tail call float @llvm.fmuladd.f32(float %v22.2, float %v31.2, float %v33.1)
  %v35.2 = or disjoint i32 %i.09, 3
  %v15.3 = mul nsw i32 %v35.2, %dim
  %v17.3 = add nsw i32 %v15.3, %v1
  %v20.3 = sext i32 %v17.3 to i64
  %v21.3 = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v20.3
  %v22.3 = load float, ptr addrspace(1) %v21.3, align 4
  %v27.3 = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v20.3
  %v28.3 = load i32, ptr addrspace(1) %v27.3, align 4
  %v29.3 = sext i32 %v28.3 to i64
  %v30.3 = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v29.3
  %v31.3 = load float, ptr addrspace(1) %v30.3, align 4
  %v33.3 = tail call float @llvm.fmuladd.f32(float %v22.3, float %v31.3, float %v33.2)
  %v35.3 = add nuw nsw i32 %i.09, 4
  %niter.next.3 = add i32 %niter, 4
  %niter.ncmp.3.not = icmp eq i32 %niter.next.3, %unroll_iter
  br i1 %niter.ncmp.3.not, label %for.end.loopexit.unr-lcssa, label %for.body

for.end.loopexit.unr-lcssa:                       ; preds = %for.body
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  br i1 %lcmp.mod.not, label %for.end, label %for.body.epil.preheader

for.body.epil.preheader:                          ; preds = %for.end.loopexit.unr-lcssa, %for.body.preheader
  %sum.010.epil.init = phi float [ 0.000000e+00, %for.body.preheader ], [ %v33.3, %for.end.loopexit.unr-lcssa ]
  %i.09.epil.init = phi i32 [ 0, %for.body.preheader ], [ %v35.3, %for.end.loopexit.unr-lcssa ]
  %lcmp.mod12 = icmp ne i32 %xtraiter, 0
  tail call void @llvm.assume(i1 %lcmp.mod12)
  br label %for.body.epil

for.body.epil:                                    ; preds = %for.body.epil, %for.body.epil.preheader
  %sum.010.epil = phi float [ %v33.epil, %for.body.epil ], [ %sum.010.epil.init, %for.body.epil.preheader ]
  %i.09.epil = phi i32 [ %v35.epil, %for.body.epil ], [ %i.09.epil.init, %for.body.epil.preheader ]
  %epil.iter = phi i32 [ %epil.iter.next, %for.body.epil ], [ 0, %for.body.epil.preheader ]
  %v15.epil = mul nsw i32 %i.09.epil, %dim
  %v17.epil = add nsw i32 %v15.epil, %v1
  %v20.epil = sext i32 %v17.epil to i64
  %v21.epil = getelementptr inbounds float, ptr addrspace(1) %val, i64 %v20.epil
  %v22.epil = load float, ptr addrspace(1) %v21.epil, align 4
  %v27.epil = getelementptr inbounds i32, ptr addrspace(1) %cols, i64 %v20.epil
  %v28.epil = load i32, ptr addrspace(1) %v27.epil, align 4
  %v29.epil = sext i32 %v28.epil to i64
  %v30.epil = getelementptr inbounds float, ptr addrspace(1) %vec, i64 %v29.epil
  %v31.epil = load float, ptr addrspace(1) %v30.epil, align 4
  %v33.epil = tail call float @llvm.fmuladd.f32(float %v22.epil, float %v31.epil, float %sum.010.epil)
  %v35.epil = add nuw nsw i32 %i.09.epil, 1
  %epil.iter.next = add i32 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i32 %epil.iter.next, %xtraiter
  br i1 %epil.iter.cmp.not, label %for.end, label %for.body.epil

for.end:                                          ; preds = %for.end.loopexit.unr-lcssa, %for.body.epil, %if.then
  %sum.0.lcssa = phi float [ 0.000000e+00, %if.then ], [ %v33.3, %for.end.loopexit.unr-lcssa ], [ %v33.epil, %for.body.epil ]
  %v40 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %v7
  store float %sum.0.lcssa, ptr addrspace(1) %v40, align 4
  br label %return

return:                                           ; preds = %for.end, %entry
  ret void
}

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



