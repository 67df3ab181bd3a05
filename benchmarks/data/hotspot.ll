; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

@hotspot.old_temp = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@hotspot.heat = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@hotspot.new_temp = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_local_idj(i32) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) local_unnamed_addr #0

; Function Attrs: convergent nounwind
declare spir_func void @_Z7barrierj(i32) local_unnamed_addr #1

; Function Attrs: convergent nounwind
define spir_kernel void @hotspot(i32 %iteration, ptr addrspace(1) readonly captures(none) %power, ptr addrspace(1) readonly captures(none) %temp_src, ptr addrspace(1) writeonly captures(none) %temp_dst, i32 %grid_cols, i32 %grid_rows, i32 %border_cols, i32 %border_rows, float %Cap, float %Rx, float %Ry, float %Rz, float %step) local_unnamed_addr #2 !dbg !3 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 !kernel_arg_name !10 {
entry:
  %v2 = fdiv float %step, %Cap
  %v4 = fdiv float 1.000000e+00, %Rx
  %v6 = fdiv float 1.000000e+00, %Ry
  %v8 = fdiv float 1.000000e+00, %Rz
  %v9 = tail call spir_func i64 @_Z12get_local_idj(i32 0)
  %v10 = trunc i64 %v9 to i32
  %v11 = tail call spir_func i64 @_Z12get_local_idj(i32 1)
  %v12 = trunc i64 %v11 to i32
  %v14 = shl nsw i32 %iteration, 1
  %v15 = sub nsw i32 16, %v14
  %v16 = tail call spir_func i64 @_Z12get_group_idj(i32 1)
  %v17 = trunc i64 %v16 to i32
  %v18 = mul nsw i32 %v15, %v17
  %v20 = sub nsw i32 %v18, %border_rows
  %v24 = tail call spir_func i64 @_Z12get_group_idj(i32 0)
  %v25 = trunc i64 %v24 to i32
  %v26 = mul nsw i32 %v15, %v25
  %v28 = sub nsw i32 %v26, %border_cols
  %v31 = add nsw i32 %v20, 15
  %v34 = add nsw i32 %v28, 15
  %v37 = add nsw i32 %v20, %v12
  %v40 = add nsw i32 %v28, %v10
  %v43 = mul nsw i32 %v37, %grid_cols
  %v45 = add nsw i32 %v43, %v40
  %v47 = icmp sgt i32 %v37, -1
  br i1 %v47, label %land.lhs.true.1, label %if.end

land.lhs.true.1:                                  ; preds = %entry
  %v51 = icmp slt i32 %v37, %grid_rows
  %v53 = icmp sgt i32 %v40, -1
  %or.cond = select i1 %v51, i1 %v53, i1 false
  %v57.not.not = icmp slt i32 %v40, %grid_cols
  %or.cond68 = select i1 %or.cond, i1 %v57.not.not, i1 false
  br i1 %or.cond68, label %if.then, label %if.end

if.then:                                          ; preds = %land.lhs.true.1
  %v60 = sext i32 %v45 to i64
  %v61 = getelementptr inbounds float, ptr addrspace(1) %temp_src, i64 %v60
  %v62 = load float, ptr addrspace(1) %v61, align 4
  %v64 = sext i32 %v12 to i64
  %v65 = getelementptr inbounds [16 x float], ptr addrspace(3) @hotspot.old_temp, i64 %v64
  %v67 = sext i32 %v10 to i64
  %v68 = getelementptr inbounds float, ptr addrspace(3) %v65, i64 %v67
  store float %v62, ptr addrspace(3) %v68, align 4
  %v72 = getelementptr inbounds float, ptr addrspace(1) %power, i64 %v60
  %v73 = load float, ptr addrspace(1) %v72, align 4
  %v76 = getelementptr inbounds [16 x float], ptr addrspace(3) @hotspot.heat, i64 %v64
  %v79 = getelementptr inbounds float, ptr addrspace(3) %v76, i64 %v67
  store float %v73, ptr addrspace(3) %v79, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %land.lhs.true.1, %entry
  tail call spir_func void @_Z7barrierj(i32 1)
  %v13379 = icmp sgt i32 %iteration, 0
  br i1 %v13379, label %for.body.lr.ph, label %return

for.body.lr.ph:                                   ; preds = %if.end
  %v127 = add nsw i32 %v10, 1
  %v105.not = icmp slt i32 %v34, %grid_cols
  %0 = xor i32 %v28, -1
  %v111 = add i32 %grid_cols, %0
  %v113 = select i1 %v105.not, i32 15, i32 %v111
  %v0.i75 = tail call range(i32 -2147483647, -2147483648) i32 @llvm.smin.i32(i32 range(i32 -2147483647, -2147483648) %v127, i32 range(i32 -2147483632, -2147483648) %v113)
  %v123 = add nsw i32 %v10, -1
  %v86 = icmp slt i32 %v28, 0
  %v88 = sub nsw i32 0, %v28
  %v89 = select i1 %v86, i32 %v88, i32 0
  %v0.i77 = tail call range(i32 -2147483647, -2147483648) i32 @llvm.smax.i32(i32 range(i32 -2147483648, 2147483647) %v123, i32 range(i32 -2147483647, -2147483648) %v89)
  %v119 = add nsw i32 %v12, 1
  %v93.not = icmp slt i32 %v31, %grid_rows
  %1 = xor i32 %v20, -1
  %v99 = add i32 %grid_rows, %1
  %v101 = select i1 %v93.not, i32 15, i32 %v99
  %v0.i = tail call range(i32 -2147483647, -2147483648) i32 @llvm.smin.i32(i32 range(i32 -2147483647, -2147483648) %v119, i32 range(i32 -2147483632, -2147483648) %v101)
  %v115 = add nsw i32 %v12, -1
  %v81 = icmp slt i32 %v20, 0
  %v83 = sub nsw i32 0, %v20
  %v84 = select i1 %v81, i32 %v83, i32 0
  %v0.i76 = tail call range(i32 -2147483647, -2147483648) i32 @llvm.smax.i32(i32 range(i32 -2147483648, 2147483647) %v115, i32 range(i32 -2147483647, -2147483648) %v84)
  %v155.not = icmp sgt i32 %v89, %v10
  %v158.not = icmp slt i32 %v113, %v10
  %v161.not = icmp sgt i32 %v84, %v12
  %v164.not = icmp slt i32 %v101, %v12
  %v167 = sext i32 %v12 to i64
  %v168 = getelementptr inbounds [16 x float], ptr addrspace(3) @hotspot.old_temp, i64 %v167
  %v170 = sext i32 %v10 to i64
  %v171 = getelementptr inbounds float, ptr addrspace(3) %v168, i64 %v170
  %v177 = getelementptr inbounds [16 x float], ptr addrspace(3) @hotspot.heat, i64 %v167
  %v180 = getelementptr inbounds float, ptr addrspace(3) %v177, i64 %v170
  %v183 = sext i32 %v0.i to i64
  %v184 = getelementptr inbounds [16 x float], ptr addrspace(3) @hotspot.old_temp, i64 %v183
  %v187 = getelementptr inbounds float, ptr addrspace(3) %v184, i64 %v170
  %v190 = sext i32 %v0.i76 to i64
  %v191 = getelementptr inbounds [16 x float], ptr addrspace(3) @hotspot.old_temp, i64 %v190
  %v194 = getelementptr inbounds float, ptr addrspace(3) %v191, i64 %v170
  %v206 = sext i32 %v0.i75 to i64
  %v207 = getelementptr inbounds float, ptr addrspace(3) %v168, i64 %v206
  %v213 = sext i32 %v0.i77 to i64
  %v214 = getelementptr inbounds float, ptr addrspace(3) %v168, i64 %v213
  %v229 = getelementptr inbounds [16 x float], ptr addrspace(3) @hotspot.new_temp, i64 %v167
  %v232 = getelementptr inbounds float, ptr addrspace(3) %v229, i64 %v170
  %v235 = add nsw i32 %iteration, -1
  br label %for.body

for.body:                                         ; preds = %if.end.3, %for.body.lr.ph
  %i.080 = phi i32 [ 0, %for.body.lr.ph ], [ %v137, %if.end.3 ]
  %v137 = add nuw nsw i32 %i.080, 1
  %v138.not.not = icmp slt i32 %i.080, %v10
  br i1 %v138.not.not, label %land.lhs.true.6, label %if.end.1

land.lhs.true.6:                                  ; preds = %for.body
  %v142 = sub nsw i32 14, %i.080
  %v143.not = icmp slt i32 %v142, %v10
  %v147.not.not = icmp sge i32 %i.080, %v12
  %or.cond69.not78 = or i1 %v147.not.not, %v143.not
  %v152.not = icmp slt i32 %v142, %v12
  %or.cond70 = or i1 %v152.not, %or.cond69.not78
  %or.cond71 = select i1 %or.cond70, i1 true, i1 %v155.not
  %or.cond72 = select i1 %or.cond71, i1 true, i1 %v158.not
  %or.cond73 = select i1 %or.cond72, i1 true, i1 %v161.not
  %or.cond74 = select i1 %or.cond73, i1 true, i1 %v164.not
  br i1 %or.cond74, label %if.end.1, label %if.then.1

if.then.1:                                        ; preds = %land.lhs.true.6
  %v172 = load float, ptr addrspace(3) %v171, align 4
  %v181 = load float, ptr addrspace(3) %v180, align 4
  %v188 = load float, ptr addrspace(3) %v187, align 4
  %v195 = load float, ptr addrspace(3) %v194, align 4
  %v196 = fadd float %v188, %v195
  %v199 = tail call float @llvm.fmuladd.f32(float %v172, float -2.000000e+00, float %v196)
  %v201 = tail call float @llvm.fmuladd.f32(float %v199, float %v6, float %v181)
  %v208 = load float, ptr addrspace(3) %v207, align 4
  %v215 = load float, ptr addrspace(3) %v214, align 4
  %v216 = fadd float %v208, %v215
  %v219 = tail call float @llvm.fmuladd.f32(float %v172, float -2.000000e+00, float %v216)
  %v221 = tail call float @llvm.fmuladd.f32(float %v219, float %v4, float %v201)
  %v223 = fsub float 8.000000e+01, %v172
  %v225 = tail call float @llvm.fmuladd.f32(float %v223, float %v8, float %v221)
  %v226 = tail call float @llvm.fmuladd.f32(float %v2, float %v225, float %v172)
  store float %v226, ptr addrspace(3) %v232, align 4
  br label %if.end.1

if.end.1:                                         ; preds = %if.then.1, %land.lhs.true.6, %for.body
  %computed.2.off0 = phi i1 [ true, %if.then.1 ], [ false, %land.lhs.true.6 ], [ false, %for.body ]
  tail call spir_func void @_Z7barrierj(i32 1)
  %v236 = icmp eq i32 %i.080, %v235
  br i1 %v236, label %for.end, label %if.end.2

if.end.2:                                         ; preds = %if.end.1
  br i1 %computed.2.off0, label %if.then.3, label %if.end.3

if.then.3:                                        ; preds = %if.end.2
  %v245 = load float, ptr addrspace(3) %v232, align 4
  store float %v245, ptr addrspace(3) %v171, align 4
  br label %if.end.3

if.end.3:                                         ; preds = %if.then.3, %if.end.2
  tail call spir_func void @_Z7barrierj(i32 1)
  br label %for.body

for.end:                                          ; preds = %if.end.1
  br i1 %computed.2.off0, label %if.then.4, label %return

if.then.4:                                        ; preds = %for.end
  %v265 = sext i32 %v45 to i64
  %v266 = getelementptr inbounds float, ptr addrspace(1) %temp_dst, i64 %v265
  %v262 = load float, ptr addrspace(3) %v232, align 4
  store float %v262, ptr addrspace(1) %v266, align 4
  br label %return

return:                                           ; preds = %if.end, %if.then.4, %for.end
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #3

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
attributes #2 = { convergent nounwind "no-builtins" }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }



