"""Symbolic values: what every value of a kernel is, in terms of its launch.

How to use it::

    known = Known(global_size=(1024,), local_size=(128,), arguments={3: 500})  # or Known()
    values = SymbolicValues(kernel, facts, known)  # build: every SSA value as a node

    node = values.scalar(instruction.operands[0], instruction.block)  # as that block sees it
    address = values.address(access_instruction, access.pointer)  # i64, in bytes
    values.result(instruction)  # components: lanes of a vector, fields ...
    text(values, node)  # "4 * get_global_id(0) + A"
    affine(values.algebra, node)  # coefficients of ids and loop counters, or None
    lane_stride(values, address)  # bytes from lane to lane, or None
    values.causes(node)  # the loads (and opaque values) it depends on
    values.varying(node)  # the loops (ids) between whose iterations it
    # may differ
    depends_on(values, node)  # the symbols it depends on
    values.back_edges(loop), values.body_count(loop)  # per entry of the loop
    values.paths.condition(block)  # i1: is a block executed in an iteration of the
    # innermost loop around it (else: of the kernel)
    values.paths.entered(loop)  # i1: the same for a loop's first header

    lanes = one_group(known, 0)  # or all_work_items(known), work_items(...)
    evaluate = Evaluator(values, lanes)  # caches: use one for many nodes
    evaluate(node)  # Evaluated(data, known)
    evaluate.integers(node)  # signed int64 per row, and which are known
    Evaluator(values, lanes.at({loop_id: 3}))(address)  # in iteration 3 of a loop

The counter of a loop (symbol COUNTER) is 0 in the first iteration after each entry. A value made
in a loop and asked for within it varies with the counters of the loops around it: give them with
:meth:`Lanes.at`, for as many rows as are to be told apart. A value asked for outside is the one
of the last iteration. Rows of which the value is not known (:attr:`Evaluated.known`) depend on
memory, on functions such as ``sin`` whose last digit differs between devices, or on symbols that
were not given. Everything else is exact, wrap-around included; what has no closed form is
simulated, for all rows at once, up to a stated amount of work (:data:`budget.MAX_WORK`).

Assumptions where no launch is known: :data:`ranges.MAX_EXTENT` and
:data:`ranges.MAX_GROUP_ITEMS`; and signed arithmetic of the source does not overflow (C99 6.5).

Modules: ``expr`` nodes; ``algebra`` their construction (with ``nodes``, ``sums``, ``truths``);
``intervals`` and ``ranges`` where values lie; ``build`` from the IR (with ``regions`` and ``paths``
for control, ``steps``, ``promises`` and ``closing`` for closed forms, ``variation``, ``promote``
and ``memory`` for variables and tables in memory, ``operations`` for single instructions);
``evaluate`` (with ``frames``, ``rows``, ``lanes``, ``semantics`` and ``data``) and ``summary`` over
a launch; ``counts`` of what control does; ``affine``, ``text`` and ``reasons``.
"""
