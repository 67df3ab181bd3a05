; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z13get_global_idj(i32) local_unnamed_addr #0

; Function Attrs: nofree nosync nounwind memory(argmem: readwrite)
define spir_kernel void @BFS_1(ptr addrspace(1) readonly captures(none) %g_graph_nodes, ptr addrspace(1) readonly captures(none) %g_graph_edges, ptr addrspace(1) captures(none) %g_graph_mask, ptr addrspace(1) writeonly captures(none) %g_updating_graph_mask, ptr addrspace(1) readonly captures(none) %g_graph_visited, ptr addrspace(1) captures(none) %g_cost, i32 %no_of_nodes) local_unnamed_addr #1 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !9 !kernel_arg_type_qual !10 !kernel_arg_name !11 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = icmp sgt i32 %no_of_nodes, %v1
  br i1 %v4, label %land.lhs.true, label %return

land.lhs.true:                                    ; preds = %entry
  %v7 = sext i32 %v1 to i64
  %v8 = getelementptr inbounds i8, ptr addrspace(1) %g_graph_mask, i64 %v7
  %v9 = load i8, ptr addrspace(1) %v8, align 1
  %v10.not = icmp eq i8 %v9, 0
  br i1 %v10.not, label %return, label %if.then

if.then:                                          ; preds = %land.lhs.true
  store i8 0, ptr addrspace(1) %v8, align 1
  %v18 = getelementptr inbounds [8 x i8], ptr addrspace(1) %g_graph_nodes, i64 %v7
  %v19 = load i32, ptr addrspace(1) %v18, align 4
  %v25 = getelementptr inbounds nuw i8, ptr addrspace(1) %v18, i64 4
  %v26 = load i32, ptr addrspace(1) %v25, align 4
  %v27 = add nsw i32 %v26, %v19
  %v3111 = icmp sgt i32 %v26, 0
  br i1 %v3111, label %for.body.lr.ph, label %return

for.body.lr.ph:                                   ; preds = %if.then
  %v46 = getelementptr inbounds i32, ptr addrspace(1) %g_cost, i64 %v7
  br label %for.body

for.body:                                         ; preds = %for.body.lr.ph, %for.inc
  %edge.012 = phi i32 [ %v19, %for.body.lr.ph ], [ %v58, %for.inc ]
  %v34 = sext i32 %edge.012 to i64
  %v35 = getelementptr inbounds i32, ptr addrspace(1) %g_graph_edges, i64 %v34
  %v36 = load i32, ptr addrspace(1) %v35, align 4
  %v39 = sext i32 %v36 to i64
  %v40 = getelementptr inbounds i8, ptr addrspace(1) %g_graph_visited, i64 %v39
  %v41 = load i8, ptr addrspace(1) %v40, align 1
  %v42.not = icmp eq i8 %v41, 0
  br i1 %v42.not, label %if.then.1, label %for.inc

if.then.1:                                        ; preds = %for.body
  %v56 = getelementptr inbounds i8, ptr addrspace(1) %g_updating_graph_mask, i64 %v39
  %v52 = getelementptr inbounds i32, ptr addrspace(1) %g_cost, i64 %v39
  %v47 = load i32, ptr addrspace(1) %v46, align 4
  %v48 = add nsw i32 %v47, 1
  store i32 %v48, ptr addrspace(1) %v52, align 4
  store i8 1, ptr addrspace(1) %v56, align 1
  br label %for.inc

for.inc:                                          ; preds = %if.then.1, %for.body
  %v58 = add nsw i32 %edge.012, 1
  %v31 = icmp slt i32 %v58, %v27
  br i1 %v31, label %for.body, label %return

return:                                           ; preds = %for.inc, %if.then, %land.lhs.true, %entry
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(argmem: readwrite)
define spir_kernel void @BFS_2(ptr addrspace(1) writeonly captures(none) %g_graph_mask, ptr addrspace(1) captures(none) %g_updating_graph_mask, ptr addrspace(1) writeonly captures(none) %g_graph_visited, ptr addrspace(1) writeonly captures(none) %g_over, i32 %no_of_nodes) local_unnamed_addr #2 !dbg !38 !kernel_arg_addr_space !39 !kernel_arg_access_qual !40 !kernel_arg_type !41 !kernel_arg_base_type !41 !kernel_arg_type_qual !42 !kernel_arg_name !43 {
entry:
  %v0 = tail call spir_func i64 @_Z13get_global_idj(i32 0)
  %v1 = trunc i64 %v0 to i32
  %v4 = icmp sgt i32 %no_of_nodes, %v1
  br i1 %v4, label %land.lhs.true, label %return

land.lhs.true:                                    ; preds = %entry
  %v7 = sext i32 %v1 to i64
  %v8 = getelementptr inbounds i8, ptr addrspace(1) %g_updating_graph_mask, i64 %v7
  %v9 = load i8, ptr addrspace(1) %v8, align 1
  %v10.not = icmp eq i8 %v9, 0
  br i1 %v10.not, label %return, label %if.then

if.then:                                          ; preds = %land.lhs.true
  %v18 = getelementptr inbounds i8, ptr addrspace(1) %g_graph_visited, i64 %v7
  %v14 = getelementptr inbounds i8, ptr addrspace(1) %g_graph_mask, i64 %v7
  store i8 1, ptr addrspace(1) %v14, align 1
  store i8 1, ptr addrspace(1) %v18, align 1
  store i8 1, ptr addrspace(1) %g_over, align 1
  store i8 0, ptr addrspace(1) %v8, align 1
  br label %return

return:                                           ; preds = %if.then, %land.lhs.true, %entry
  ret void
}

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { nofree nosync nounwind memory(argmem: readwrite) "no-builtins" }
attributes #2 = { mustprogress nofree nosync nounwind willreturn memory(argmem: readwrite) "no-builtins" }



