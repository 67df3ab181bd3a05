; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func float @_Z3expf(float) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func float @_Z3logf(float) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z15get_global_sizej(i32) local_unnamed_addr #0

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @BlackScholes(ptr addrspace(1) writeonly captures(none) %d_Call, ptr addrspace(1) writeonly captures(none) %d_Put, ptr addrspace(1) readonly captures(none) %d_S, ptr addrspace(1) readonly captures(none) %d_X, ptr addrspace(1) readonly captures(none) %d_T, float %R, float %V, i32 %optN) local_unnamed_addr #1 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v425 = icmp ugt i32 %optN, %v1
  br i1 %v425, label %for.body.lr.ph, label %return

for.body.lr.ph:                                   ; preds = %entry
  %v30 = fmul float %V, 5.000000e-01
  %v32 = tail call float @llvm.fmuladd.f32(float %v30, float %V, float %R)
  %v46 = fneg float %R
  %v75 = tail call spir_func i64 @_Z15get_global_sizej(i32 0)
  %0 = trunc i64 %v75 to i32
  br label %for.body

for.body:                                         ; preds = %for.body.lr.ph, %for.body
  %opt.026 = phi i32 [ %v1, %for.body.lr.ph ], [ %v79, %for.body ]
  %v7 = zext i32 %opt.026 to i64
  %v8 = getelementptr inbounds nuw float, ptr addrspace(1) %d_S, i64 %v7
  %v9 = load float, ptr addrspace(1) %v8, align 4
  %v13 = getelementptr inbounds nuw float, ptr addrspace(1) %d_X, i64 %v7
  %v14 = load float, ptr addrspace(1) %v13, align 4
  %v18 = getelementptr inbounds nuw float, ptr addrspace(1) %d_T, i64 %v7
  %v19 = load float, ptr addrspace(1) %v18, align 4
  %v0.i = tail call float @llvm.sqrt.f32(float %v19)
  %v23 = fmul float %V, %v0.i
  %v26 = fdiv float %v9, %v14
  %v27 = tail call spir_func float @_Z3logf(float %v26)
  %v34 = tail call float @llvm.fmuladd.f32(float %v32, float %v19, float %v27)
  %v36 = fdiv float %v34, %v23
  %v39 = fsub float %v36, %v23
  %v0.i23 = tail call float @llvm.fabs.f32(float %v36)
  %v2.i8 = tail call float @llvm.fmuladd.f32(float %v0.i23, float 0x3FCDA67120000000, float 1.000000e+00)
  %v3.i9 = fdiv float 1.000000e+00, %v2.i8
  %v9.i10 = tail call float @llvm.fmuladd.f32(float %v3.i9, float 0x3FF548CDE0000000, float 0xBFFD23DD40000000)
  %v10.i11 = tail call float @llvm.fmuladd.f32(float %v3.i9, float %v9.i10, float 0x3FFC80EF00000000)
  %v11.i12 = tail call float @llvm.fmuladd.f32(float %v3.i9, float %v10.i11, float 0xBFD6D1F0E0000000)
  %v12.i13 = tail call float @llvm.fmuladd.f32(float %v3.i9, float %v11.i12, float 0x3FD470BF40000000)
  %v13.i14 = fmul float %v3.i9, %v12.i13
  %v15.i15 = fmul float %v36, -5.000000e-01
  %v17.i16 = fmul float %v36, %v15.i15
  %v18.i17 = tail call spir_func float @_Z3expf(float %v17.i16)
  %v19.i18 = fmul float %v18.i17, 0x3FD9884540000000
  %v21.i19 = fmul float %v19.i18, %v13.i14
  %v23.i20 = fcmp ogt float %v36, 0.000000e+00
  %v25.i21 = fsub float 1.000000e+00, %v21.i19
  %v27.i22 = select i1 %v23.i20, float %v25.i21, float %v21.i19
  %v0.i24 = tail call float @llvm.fabs.f32(float %v39)
  %v2.i = tail call float @llvm.fmuladd.f32(float %v0.i24, float 0x3FCDA67120000000, float 1.000000e+00)
  %v3.i = fdiv float 1.000000e+00, %v2.i
  %v9.i = tail call float @llvm.fmuladd.f32(float %v3.i, float 0x3FF548CDE0000000, float 0xBFFD23DD40000000)
  %v10.i = tail call float @llvm.fmuladd.f32(float %v3.i, float %v9.i, float 0x3FFC80EF00000000)
  %v11.i = tail call float @llvm.fmuladd.f32(float %v3.i, float %v10.i, float 0xBFD6D1F0E0000000)
  %v12.i = tail call float @llvm.fmuladd.f32(float %v3.i, float %v11.i, float 0x3FD470BF40000000)
  %v13.i = fmul float %v3.i, %v12.i
  %v15.i = fmul float %v39, -5.000000e-01
  %v17.i = fmul float %v39, %v15.i
  %v18.i = tail call spir_func float @_Z3expf(float %v17.i)
  %v19.i = fmul float %v18.i, 0x3FD9884540000000
  %v21.i = fmul float %v19.i, %v13.i
  %v23.i = fcmp ogt float %v39, 0.000000e+00
  %v25.i = fsub float 1.000000e+00, %v21.i
  %v27.i = select i1 %v23.i, float %v25.i, float %v21.i
  %v48 = fmul float %v19, %v46
  %v49 = tail call spir_func float @_Z3expf(float %v48)
  %v50 = fmul float %v14, %v49
  %1 = fneg float %v27.i
  %v56 = fmul float %v50, %1
  %v57 = tail call float @llvm.fmuladd.f32(float %v9, float %v27.i22, float %v56)
  %v61 = getelementptr inbounds nuw float, ptr addrspace(1) %d_Call, i64 %v7
  store float %v57, ptr addrspace(1) %v61, align 4
  %v64 = fsub float 1.000000e+00, %v27.i
  %v67 = fsub float 1.000000e+00, %v27.i22
  %2 = fneg float %v67
  %v69 = fmul float %v9, %2
  %v70 = tail call float @llvm.fmuladd.f32(float %v50, float %v64, float %v69)
  %v74 = getelementptr inbounds nuw float, ptr addrspace(1) %d_Put, i64 %v7
  store float %v70, ptr addrspace(1) %v74, align 4
  %v79 = add i32 %opt.026, %0
  %v4 = icmp ult i32 %v79, %optN
  br i1 %v4, label %for.body, label %return

return:                                           ; preds = %for.body, %entry
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #2

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { nofree nosync nounwind memory(argmem: readwrite) "no-builtins" }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }



