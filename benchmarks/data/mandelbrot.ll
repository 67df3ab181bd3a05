; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

@palette = internal unnamed_addr addrspace(2) constant [8 x <4 x i8>] [<4 x i8> <i8 66, i8 30, i8 15, i8 -1>, <4 x i8> <i8 25, i8 7, i8 26, i8 -1>, <4 x i8> <i8 4, i8 4, i8 73, i8 -1>, <4 x i8> <i8 12, i8 44, i8 -118, i8 -1>, <4 x i8> <i8 57, i8 125, i8 -47, i8 -1>, <4 x i8> <i8 -45, i8 -20, i8 -8, i8 -1>, <4 x i8> <i8 -8, i8 -55, i8 95, i8 -1>, <4 x i8> <i8 -103, i8 87, i8 0, i8 -1>], align 4

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: nofree nosync nounwind memory(argmem: write)
define spir_kernel void @mandelbrot(ptr addrspace(1) writeonly captures(none) %out, i32 %width, i32 %height, float %left, float %top, float %pitch, i32 %max_iterations, i32 %mode) local_unnamed_addr #1 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z13get_global_idj(i32 1)
  %v3 = trunc i64 %v2 to i32
  %v6.not = icmp sgt i32 %width, %v1
  %v9.not = icmp sgt i32 %height, %v3
  %or.cond = select i1 %v6.not, i1 %v9.not, i1 false
  br i1 %or.cond, label %if.end, label %return

if.end:                                           ; preds = %entry
  %v12 = sitofp i32 %v1 to float
  %v14 = fmul float %pitch, %v12
  %v15 = fadd float %left, %v14
  %v18 = sitofp i32 %v3 to float
  %v20 = fmul float %pitch, %v18
  %v21 = fsub float %top, %v20
  %v2.i10 = icmp sgt i32 %max_iterations, 0
  br i1 %v2.i10, label %land.lhs.true.i, label %escape_time.exit

land.lhs.true.i:                                  ; preds = %if.end, %while.body.i
  %x.0.i13 = phi float [ %v19.i, %while.body.i ], [ 0.000000e+00, %if.end ]
  %n.0.i12 = phi i32 [ %v28.i, %while.body.i ], [ 0, %if.end ]
  %y.0.i11 = phi float [ %v25.i, %while.body.i ], [ 0.000000e+00, %if.end ]
  %v5.i = fmul float %x.0.i13, %x.0.i13
  %v8.i = fmul float %y.0.i11, %y.0.i11
  %v9.i = fadd float %v8.i, %v5.i
  %v10.i = fcmp ugt float %v9.i, 4.000000e+00
  br i1 %v10.i, label %escape_time.exit, label %while.body.i

while.body.i:                                     ; preds = %land.lhs.true.i
  %v17.i = fsub float %v5.i, %v8.i
  %v19.i = fadd float %v15, %v17.i
  %v21.i = fmul float %x.0.i13, 2.000000e+00
  %v23.i = fmul float %y.0.i11, %v21.i
  %v25.i = fadd float %v21, %v23.i
  %v28.i = add nuw nsw i32 %n.0.i12, 1
  %v2.i = icmp slt i32 %v28.i, %max_iterations
  br i1 %v2.i, label %land.lhs.true.i, label %escape_time.exit

escape_time.exit:                                 ; preds = %land.lhs.true.i, %while.body.i, %if.end
  %n.0.i.lcssa = phi i32 [ 0, %if.end ], [ %n.0.i12, %land.lhs.true.i ], [ %max_iterations, %while.body.i ]
  switch i32 %mode, label %sw.default.i [
    i32 0, label %sw.bb.i
    i32 1, label %sw.bb.1.i
  ]

sw.bb.i:                                          ; preds = %escape_time.exit
  %v3.i = icmp eq i32 %n.0.i.lcssa, %max_iterations
  br i1 %v3.i, label %colour_of.exit, label %cond.false.i

cond.false.i:                                     ; preds = %sw.bb.i
  %v5.i8 = and i32 %n.0.i.lcssa, 7
  %v6.i = zext nneg i32 %v5.i8 to i64
  %v7.i = getelementptr inbounds nuw <4 x i8>, ptr addrspace(2) @palette, i64 %v6.i
  %v8.i9 = load <4 x i8>, ptr addrspace(2) %v7.i, align 4
  br label %colour_of.exit

sw.bb.1.i:                                        ; preds = %escape_time.exit
  %v11.i = mul nuw nsw i32 %n.0.i.lcssa, 255
  %v13.i = sdiv i32 %v11.i, %max_iterations
  %v14.i = trunc i32 %v13.i to i8
  %0 = insertelement <4 x i8> <i8 poison, i8 poison, i8 poison, i8 -1>, i8 %v14.i, i64 0
  %1 = insertelement <4 x i8> %0, i8 %v14.i, i64 1
  %v21.i7 = insertelement <4 x i8> %1, i8 %v14.i, i64 2
  br label %colour_of.exit

sw.default.i:                                     ; preds = %escape_time.exit
  %v24.i = icmp eq i32 %n.0.i.lcssa, %max_iterations
  %..i = select i1 %v24.i, <4 x i8> splat (i8 -1), <4 x i8> <i8 0, i8 0, i8 0, i8 -1>
  br label %colour_of.exit

colour_of.exit:                                   ; preds = %sw.bb.i, %cond.false.i, %sw.bb.1.i, %sw.default.i
  %retval.0.i = phi <4 x i8> [ %..i, %sw.default.i ], [ %v21.i7, %sw.bb.1.i ], [ %v8.i9, %cond.false.i ], [ <i8 0, i8 0, i8 0, i8 -1>, %sw.bb.i ]
  %v32 = mul nsw i32 %width, %v3
  %v34 = add nsw i32 %v32, %v1
  %v35 = sext i32 %v34 to i64
  %v36 = getelementptr inbounds <4 x i8>, ptr addrspace(1) %out, i64 %v35
  store <4 x i8> %retval.0.i, ptr addrspace(1) %v36, align 4
  br label %return

return:                                           ; preds = %colour_of.exit, %entry
  ret void
}

; Function Attrs: nofree nosync nounwind memory(argmem: write)
define spir_kernel void @julia4(ptr addrspace(1) writeonly captures(none) %out, i32 %width, i32 %height, <2 x float> %c, float %left, float %top, float %pitch, i32 %max_iterations) local_unnamed_addr #1 !dbg !55 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !56 !kernel_arg_base_type !56 !kernel_arg_type_qual !9 !kernel_arg_name !57 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v2 = tail call spir_func i64 @_Z13get_global_idj(i32 1)
  %v3 = trunc i64 %v2 to i32
  %v5 = shl nsw i32 %v1, 2
  %v7.not = icmp slt i32 %v5, %width
  %v10.not = icmp sgt i32 %height, %v3
  %or.cond = select i1 %v7.not, i1 %v10.not, i1 false
  br i1 %or.cond, label %if.end, label %return

if.end:                                           ; preds = %entry
  %v3529 = icmp sgt i32 %max_iterations, 0
  br i1 %v3529, label %for.body.lr.ph, label %for.end

for.body.lr.ph:                                   ; preds = %if.end
  %v27 = sitofp i32 %v3 to float
  %v29 = fmul float %pitch, %v27
  %v30 = fsub float %top, %v29
  %v31 = insertelement <4 x float> poison, float %v30, i64 0
  %v32 = shufflevector <4 x float> %v31, <4 x float> poison, <4 x i32> zeroinitializer
  %v12 = insertelement <4 x float> poison, float %left, i64 0
  %v13 = shufflevector <4 x float> %v12, <4 x float> poison, <4 x i32> zeroinitializer
  %v21 = insertelement <4 x float> poison, float %pitch, i64 0
  %v22 = shufflevector <4 x float> %v21, <4 x float> poison, <4 x i32> zeroinitializer
  %v16 = insertelement <4 x i32> poison, i32 %v5, i64 0
  %v17 = shufflevector <4 x i32> %v16, <4 x i32> poison, <4 x i32> zeroinitializer
  %v18 = or disjoint <4 x i32> %v17, <i32 0, i32 1, i32 2, i32 3>
  %v0.i28 = sitofp <4 x i32> %v18 to <4 x float>
  %v23 = fmul <4 x float> %v22, %v0.i28
  %v24 = fadd <4 x float> %v13, %v23
  %v57 = shufflevector <2 x float> %c, <2 x float> poison, <4 x i32> zeroinitializer
  %v67 = shufflevector <2 x float> %c, <2 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
  br label %for.body

for.body:                                         ; preds = %for.body.lr.ph, %if.end.1
  %x.033 = phi <4 x float> [ %v24, %for.body.lr.ph ], [ %v1.i23, %if.end.1 ]
  %y.032 = phi <4 x float> [ %v32, %for.body.lr.ph ], [ %v1.i, %if.end.1 ]
  %n.031 = phi i32 [ 0, %for.body.lr.ph ], [ %v79, %if.end.1 ]
  %times.030 = phi <4 x i32> [ zeroinitializer, %for.body.lr.ph ], [ %v77, %if.end.1 ]
  %v38 = fmul <4 x float> %x.033, %x.033
  %v41 = fmul <4 x float> %y.032, %y.032
  %v42 = fadd <4 x float> %v41, %v38
  %v0.i26 = fcmp ole <4 x float> %v42, splat (float 4.000000e+00)
  %v1.i27 = sext <4 x i1> %v0.i26 to <4 x i32>
  %v0.i24 = extractelement <4 x i32> %v1.i27, i64 0
  %v1.i25 = extractelement <4 x i32> %v1.i27, i64 1
  %v2.i = extractelement <4 x i32> %v1.i27, i64 2
  %v3.i = extractelement <4 x i32> %v1.i27, i64 3
  %v4.i = or i32 %v0.i24, %v1.i25
  %v5.i = or i32 %v4.i, %v2.i
  %v6.i = or i32 %v5.i, %v3.i
  %v46.not = icmp sgt i32 %v6.i, -1
  br i1 %v46.not, label %for.end, label %if.end.1

if.end.1:                                         ; preds = %for.body
  %v53 = fsub <4 x float> %v38, %v41
  %v58 = fadd <4 x float> %v57, %v53
  %v61 = fmul <4 x float> %x.033, splat (float 2.000000e+00)
  %v63 = fmul <4 x float> %y.032, %v61
  %v68 = fadd <4 x float> %v67, %v63
  %v1.i = select <4 x i1> %v0.i26, <4 x float> %v68, <4 x float> %y.032
  %v1.i23 = select <4 x i1> %v0.i26, <4 x float> %v58, <4 x float> %x.033
  %v77 = sub <4 x i32> %times.030, %v1.i27
  %v79 = add nuw nsw i32 %n.031, 1
  %v35 = icmp slt i32 %v79, %max_iterations
  br i1 %v35, label %for.body, label %for.end

for.end:                                          ; preds = %if.end.1, %for.body, %if.end
  %times.0.lcssa = phi <4 x i32> [ zeroinitializer, %if.end ], [ %v77, %if.end.1 ], [ %times.030, %for.body ]
  %v84 = sdiv i32 %width, 4
  %v85 = mul nsw i32 %v84, %v3
  %v87 = add nsw i32 %v85, %v1
  %v88 = sext i32 %v87 to i64
  %v89 = getelementptr inbounds <4 x i32>, ptr addrspace(1) %out, i64 %v88
  store <4 x i32> %times.0.lcssa, ptr addrspace(1) %v89, align 16
  br label %return

return:                                           ; preds = %for.end, %entry
  ret void
}

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { nofree nosync nounwind memory(argmem: write) "no-builtins" }



