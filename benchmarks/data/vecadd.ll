; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(argmem: readwrite)
define spir_kernel void @vecadd(ptr addrspace(1) readonly captures(none) %a, ptr addrspace(1) readonly captures(none) %b, ptr addrspace(1) writeonly captures(none) %c, i32 %n) local_unnamed_addr #1 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = icmp sgt i32 %n, %v1
  br i1 %v4, label %if.then, label %return

if.then:                                          ; preds = %entry
  %v7 = sext i32 %v1 to i64
  %v19 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v7
  %v13 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v7
  %v8 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v7
  %v9 = load float, ptr addrspace(1) %v8, align 4
  %v14 = load float, ptr addrspace(1) %v13, align 4
  %v15 = fadd float %v9, %v14
  store float %v15, ptr addrspace(1) %v19, align 4
  br label %return

return:                                           ; preds = %if.then, %entry
  ret void
}

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @vecadd4(ptr addrspace(1) readonly captures(none) %a, ptr addrspace(1) readonly captures(none) %b, ptr addrspace(1) writeonly captures(none) %c, i32 %n) local_unnamed_addr #2 !dbg !23 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v3 = shl nsw i32 %v1, 2
  %v5 = or disjoint i32 %v3, 3
  %v7 = icmp slt i32 %v5, %n
  br i1 %v7, label %if.then, label %for.cond.preheader

for.cond.preheader:                               ; preds = %entry
  %v2313 = icmp slt i32 %v3, %n
  br i1 %v2313, label %for.body.preheader, label %return

for.body.preheader:                               ; preds = %for.cond.preheader
  %0 = sub i32 %n, %v3
  %xtraiter = and i32 %0, 7
  %lcmp.mod.not = icmp eq i32 %xtraiter, 0
  br i1 %lcmp.mod.not, label %for.body.prol.loopexit, label %for.body.prol

for.body.prol:                                    ; preds = %for.body.preheader, %for.body.prol
  %i.014.prol = phi i32 [ %v40.prol, %for.body.prol ], [ %v3, %for.body.preheader ]
  %prol.iter = phi i32 [ %prol.iter.next, %for.body.prol ], [ 0, %for.body.preheader ]
  %v26.prol = sext i32 %i.014.prol to i64
  %v27.prol = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.prol
  %v28.prol = load float, ptr addrspace(1) %v27.prol, align 4
  %v32.prol = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.prol
  %v33.prol = load float, ptr addrspace(1) %v32.prol, align 4
  %v34.prol = fadd float %v28.prol, %v33.prol
  %v38.prol = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.prol
  store float %v34.prol, ptr addrspace(1) %v38.prol, align 4
  %v40.prol = add nsw i32 %i.014.prol, 1
  %prol.iter.next = add i32 %prol.iter, 1
  %prol.iter.cmp.not = icmp eq i32 %prol.iter.next, %xtraiter
  br i1 %prol.iter.cmp.not, label %for.body.prol.loopexit, label %for.body.prol

for.body.prol.loopexit:                           ; preds = %for.body.prol, %for.body.preheader
  %i.014.unr = phi i32 [ %v3, %for.body.preheader ], [ %v40.prol, %for.body.prol ]
  %1 = sub i32 %v3, %n
  %2 = icmp ugt i32 %1, -8
  br i1 %2, label %return, label %for.body

if.then:                                          ; preds = %entry
  %v9 = sext i32 %v1 to i64
  %v0.i = getelementptr inbounds [4 x float], ptr addrspace(1) %a, i64 %v9
  %v1.i = load <4 x float>, ptr addrspace(1) %v0.i, align 4
  %v0.i10 = getelementptr inbounds [4 x float], ptr addrspace(1) %b, i64 %v9
  %v1.i11 = load <4 x float>, ptr addrspace(1) %v0.i10, align 4
  %v16 = fadd <4 x float> %v1.i, %v1.i11
  %v0.i12 = getelementptr inbounds [4 x float], ptr addrspace(1) %c, i64 %v9
  store <4 x float> %v16, ptr addrspace(1) %v0.i12, align 4
  br label %return

for.body:                                         ; preds = %for.body.prol.loopexit, %for.body
  %i.014 = phi i32 [ %v40.7, %for.body ], [ %i.014.unr, %for.body.prol.loopexit ]
  %v26 = sext i32 %i.014 to i64
  %v27 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26
  %v28 = load float, ptr addrspace(1) %v27, align 4
  %v32 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26
  %v33 = load float, ptr addrspace(1) %v32, align 4
  %v34 = fadd float %v28, %v33
  %v38 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26
  store float %v34, ptr addrspace(1) %v38, align 4
  %v40 = add nsw i32 %i.014, 1
  %v26.1 = sext i32 %v40 to i64
  %v27.1 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.1
  %v28.1 = load float, ptr addrspace(1) %v27.1, align 4
  %v32.1 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.1
  %v33.1 = load float, ptr addrspace(1) %v32.1, align 4
  %v34.1 = fadd float %v28.1, %v33.1
  %v38.1 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.1
  store float %v34.1, ptr addrspace(1) %v38.1, align 4
  %v40.1 = add nsw i32 %i.014, 2
  %v26.2 = sext i32 %v40.1 to i64
  %v27.2 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.2
  %v28.2 = load float, ptr addrspace(1) %v27.2, align 4
  %v32.2 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.2
  %v33.2 = load float, ptr addrspace(1) %v32.2, align 4
  %v34.2 = fadd float %v28.2, %v33.2
  %v38.2 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.2
  store float %v34.2, ptr addrspace(1) %v38.2, align 4
  %v40.2 = add nsw i32 %i.014, 3
  %v26.3 = sext i32 %v40.2 to i64
  %v27.3 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.3
  %v28.3 = load float, ptr addrspace(1) %v27.3, align 4
  %v32.3 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.3
  %v33.3 = load float, ptr addrspace(1) %v32.3, align 4
  %v34.3 = fadd float %v28.3, %v33.3
  %v38.3 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.3
  store float %v34.3, ptr addrspace(1) %v38.3, align 4
  %v40.3 = add nsw i32 %i.014, 4
  %v26.4 = sext i32 %v40.3 to i64
  %v27.4 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.4
  %v28.4 = load float, ptr addrspace(1) %v27.4, align 4
  %v32.4 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.4
  %v33.4 = load float, ptr addrspace(1) %v32.4, align 4
  %v34.4 = fadd float %v28.4, %v33.4
  %v38.4 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.4
  store float %v34.4, ptr addrspace(1) %v38.4, align 4
  %v40.4 = add nsw i32 %i.014, 5
  %v26.5 = sext i32 %v40.4 to i64
  %v27.5 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.5
  %v28.5 = load float, ptr addrspace(1) %v27.5, align 4
  %v32.5 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.5
  %v33.5 = load float, ptr addrspace(1) %v32.5, align 4
  %v34.5 = fadd float %v28.5, %v33.5
  %v38.5 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.5
  store float %v34.5, ptr addrspace(1) %v38.5, align 4
  %v40.5 = add nsw i32 %i.014, 6
  %v26.6 = sext i32 %v40.5 to i64
  %v27.6 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.6
  %v28.6 = load float, ptr addrspace(1) %v27.6, align 4
  %v32.6 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.6
  %v33.6 = load float, ptr addrspace(1) %v32.6, align 4
  %v34.6 = fadd float %v28.6, %v33.6
  %v38.6 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.6
  store float %v34.6, ptr addrspace(1) %v38.6, align 4
  %v40.6 = add nsw i32 %i.014, 7
  %v26.7 = sext i32 %v40.6 to i64
  %v27.7 = getelementptr inbounds float, ptr addrspace(1) %a, i64 %v26.7
  %v28.7 = load float, ptr addrspace(1) %v27.7, align 4
  %v32.7 = getelementptr inbounds float, ptr addrspace(1) %b, i64 %v26.7
  %v33.7 = load float, ptr addrspace(1) %v32.7, align 4
  %v34.7 = fadd float %v28.7, %v33.7
  %v38.7 = getelementptr inbounds float, ptr addrspace(1) %c, i64 %v26.7
  store float %v34.7, ptr addrspace(1) %v38.7, align 4
  %v40.7 = add nsw i32 %i.014, 8
  %v23.7 = icmp slt i32 %v40.7, %n
  br i1 %v23.7, label %for.body, label %return

return:                                           ; preds = %for.body.prol.loopexit, %for.body, %for.cond.preheader, %if.then
  ret void
}

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { mustprogress nofree nosync nounwind willreturn memory(argmem: readwrite) "no-builtins" }
attributes #2 = { nofree nosync nounwind memory(argmem: readwrite) "no-builtins" }



