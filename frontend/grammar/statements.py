"""Statements, with recovery after each one that goes wrong."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import DiagnosticSink
from kcc.frontend.attributes import Attribute
from kcc.frontend.grammar.declarations import BRACES, DeclarationParser
from kcc.frontend.grammar.reader import MAX_CHAIN, SyntaxFault
from kcc.frontend.keywords import KERNEL_WORDS
from kcc.frontend.preprocessor.lexer import Token
from kcc.frontend.preprocessor.pragmas import constant_factor, left_over, unroll_factor
from kcc.frontend.preprocessor.token_feed import TokenFeed

_LOOPS = frozenset({"FOR", "WHILE", "DO"})


class StatementParser(DeclarationParser):
    """Statements. ``unroll`` maps a loop to the unrolling asked for it, ``ends`` a block to
    its closing brace."""

    def __init__(self, feed: TokenFeed, sink: DiagnosticSink) -> None:
        super().__init__(feed, sink)
        self.unroll: dict[c_ast.Node, int] = {}
        self.ends: dict[c_ast.Node, Token] = {}

    def _parse_compound_statement(self, *, new_scope: bool = True) -> c_ast.Compound:
        opening = self._expect("LBRACE")
        depth = len(self._shadowed)
        if new_scope:
            self._push_scope()
        items = self._parse_block_items(len(self._shadowed))
        closing = self._expect("RBRACE")
        while len(self._shadowed) > depth:
            self._pop_scope()
        block = c_ast.Compound(items, opening)
        self.ends[block] = closing
        return block

    def _parse_block_items(self, scopes: int) -> list[c_ast.Node]:
        """Declarations and statements up to the closing brace; faults are reported on the way."""
        items: list[c_ast.Node] = []
        nesting = self._nesting
        while (token := self._peek()) is not None and token.type != "RBRACE":
            start = self._at
            if token.value in KERNEL_WORDS and self._starts_line(start):
                fault = self._expected("RBRACE", "before the next kernel")
                fault.ends_function = True
                raise fault
            try:
                self._parse_block_item(token, items)
            except SyntaxFault as fault:
                if fault.ends_function or self._list[fault.index] is None:
                    raise
                self._report(fault, start)
                self._nesting = nesting
                self._leave_scopes(scopes)
                self._skip_statement(start, fault.index)
        return items

    def _skip_statement(self, start: int, fault: int) -> None:
        """Move after the statement that began at ``start`` and went wrong at ``fault``: past the
        next semicolon or nested block, or to this block's closing brace.
        """
        opened = sum(BRACES.get(t.type, 0) for t in self._list[start:fault] if t is not None)
        depth, index = 0, fault
        while (token := self._list[index]) is not None:
            kind = token.type
            if token.value in KERNEL_WORDS and self._starts_line(index) and index > start:
                break
            if kind == "RBRACE" and not depth:
                if opened <= 0:
                    break
                opened -= 1  # the end of an initialiser
            else:
                depth += BRACES.get(kind, 0)
            index += 1
            if not depth and kind in ("SEMI", "RBRACE") and not self._continues(index, kind):
                break
        self._at = max(index, start + 1) if self._list[start] is not None else index

    def _continues(self, index: int, kind: str) -> bool:
        """Whether the token at ``index``, after a semicolon or brace, belongs to what went wrong
        before it.
        """
        token = self._list[index]
        following = "" if token is None else token.type
        return following == "ELSE" or (
            kind == "RBRACE" and following in ("RPAREN", "RBRACKET", "COMMA", "SEMI", "PERIOD")
        )

    def _parse_block_item(self, token: Token, items: list[c_ast.Node]) -> None:
        if self._starts_label(token):
            items.append(self._parse_statement())
        elif self._starts_declaration(token):
            start = self._at
            try:
                items += self._parse_declaration()
            except SyntaxFault as fault:
                raise self._judge_declaration(fault, token, start) from None
        else:
            items.append(self._parse_statement())

    def _starts_label(self, token: Token) -> bool:
        following = self._list[self._at + 1]
        colon = following is not None and following.type == "COLON"
        return colon and token.type in ("ID", "TYPEID")

    def _judge_declaration(self, fault: SyntaxFault, first: Token, start: int) -> SyntaxFault:
        """The fault of a declaration in a block, which may be that of a function after a missing
        brace: then it does not belong to the block."""
        here, before = self._list[fault.index], self._list[fault.index - 1]
        if here is None or before is None or (before.type, here.type) != ("RPAREN", "LBRACE"):
            return fault
        message = "a function cannot be defined inside of another"
        hint = "is a '}' missing before it?"
        nested = SyntaxFault(fault.index, "K213", message, here.span, here.notes, hint)
        if first.span.column == 1:
            nested.ends_function = True
            self._at = start
        return nested

    def _parse_statement(self) -> c_ast.Node:
        token = self._peek()
        if token is None:
            self._fail("expected a statement", code="K214")
        start = self._at
        attributes = self._take_attributes(start, start)
        self._enter()
        parse = _STATEMENTS.get(token.type)
        if parse is not None:
            node = parse(self, token)
        elif self._starts_label(token):
            node = self._parse_label(token)
        else:
            node = self._parse_expression_statement()
        self._nesting -= 1
        self._record_attributes(node, attributes)
        if token.type in _LOOPS:
            self._record_unrolling(node, start)
        elif attributes:
            self._remark_hints(node)
        return node

    def _remark_hints(self, node: c_ast.Node) -> None:
        for attribute in self.attributes.get(node, ()):
            if attribute.name == "opencl_unroll_hint":
                message = "the unroll hint has no effect: it does not stand before a loop"
                self._sink.report("K221", message, attribute.span)

    def _record_unrolling(self, loop: c_ast.Node, start: int) -> None:
        """From the pragmas before the loop that began at ``start``, else from its attribute."""
        for pragma in self._feed.pragmas.pop(start, ()):
            factor = unroll_factor(pragma, self._sink)
            if factor is not None:
                self.unroll[loop] = factor
            elif left_over(pragma) is None:
                self._feed.pragmas.setdefault(start, []).append(pragma)
        for attribute in self.attributes.get(loop, ()):
            if attribute.name == "opencl_unroll_hint":
                self.unroll.setdefault(loop, self._hint_factor(attribute))

    def _hint_factor(self, attribute: Attribute) -> int:
        if not attribute.arguments:
            return 0
        factor = constant_factor(attribute.arguments[0])
        if factor is None:
            message = "the unroll hint needs one positive integer constant"
            self._sink.report("K220", message, attribute.span)
            return 0
        return factor

    def _parse_expression_statement(self) -> c_ast.Node:
        token = self._peek()
        semicolon = self._accept("SEMI")
        if semicolon is not None:
            return c_ast.EmptyStatement(semicolon)
        if token is not None and token.type == "ID":
            following = self._list[self._at + 1]
            if following is not None and following.type in ("ID", "TYPEID"):
                self._fail_if_unknown_type(token)
        expr = self._parse_expression()
        self._finish_with_semicolon("after the expression")
        return expr

    # labels

    def _parse_label(self, name: Token) -> c_ast.Node:
        self._at += 2
        return c_ast.Label(name.value, self._parse_labelled("a label"), name)

    def parse_labels(self, _keyword: Token) -> c_ast.Node:
        """A row of ``case`` and ``default`` labels, which may be long, and their statement."""
        labels: list[c_ast.Case | c_ast.Default] = []
        while (token := self._peek()) is not None and token.type in ("CASE", "DEFAULT"):
            self._at += 1
            labels.append(self._parse_case(token) if token.type == "CASE" else self._default(token))
            if len(labels) > MAX_CHAIN:
                self._too_deep(MAX_CHAIN)
        node = self._parse_labelled("a case label")
        for label in reversed(labels):
            label.stmts.append(node)
            node = label
        return node

    def _parse_case(self, keyword: Token) -> c_ast.Case:
        value = self._parse_constant_expression()
        if self._peek_type() == "ELLIPSIS":
            self._fail("ranges in a case label are GNU C", code="K230")
        self._expect("COLON", "after the value of a case label")
        return c_ast.Case(value, [], keyword)

    def _default(self, keyword: Token) -> c_ast.Default:
        self._expect("COLON", "after 'default'")
        return c_ast.Default([], keyword)

    def _parse_labelled(self, what: str) -> c_ast.Node:
        token = self._peek()
        if token is not None and token.type == "RBRACE":
            self._fail(f"expected a statement after {what}", token, hint="an empty one is ';'")
        if token is not None and self._starts_declaration(token):
            self._fail(
                f"a declaration cannot follow {what}", token, hint="put braces around what follows"
            )
        return self._parse_statement()

    # selection

    def _parse_condition(self, keyword: str) -> c_ast.Node:
        """A condition in parentheses; with a fault in it, what follows it can still be read."""
        opening = self._expect("LPAREN", f"after '{keyword}'")
        start = self._at
        try:
            condition = self._parse_expression()
            self._expect("RPAREN")
        except SyntaxFault as fault:
            after = self._after_parentheses(start - 1)
            if after is None or after <= fault.index:
                raise
            self._report(fault, start)
            self._at = after
            return c_ast.Constant("int", "0", opening)
        return condition

    def _parse_body(self) -> c_ast.Node:
        token = self._peek()
        if token is not None and self._starts_declaration(token):
            self._fail("a declaration cannot stand here alone", token, hint="put braces around it")
        return self._parse_statement()

    def parse_if(self, keyword: Token) -> c_ast.Node:
        """An ``if`` with its chain of ``else if``, which may be long."""
        first = last = self._parse_if_head(keyword)
        count = 0
        while self._accept("ELSE"):
            following = self._peek()
            if following is None or following.type != "IF":
                last.iffalse = self._parse_body()
                break
            alternative = self._parse_if_head(following)
            last.iffalse = last = alternative
            count += 1
            if count > MAX_CHAIN:
                self._too_deep(MAX_CHAIN)
        return first

    def _parse_if_head(self, keyword: Token) -> c_ast.If:
        self._at += 1
        condition = self._parse_condition("if")
        return c_ast.If(condition, self._parse_body(), None, keyword)

    def parse_switch(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        condition = self._parse_condition("switch")
        body = self._parse_body()
        if isinstance(body, c_ast.Compound):
            body = c_ast.Compound(_cases(body.block_items or []), body.coord)
        return c_ast.Switch(condition, body, keyword)

    # loops

    def parse_while(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        condition = self._parse_condition("while")
        return c_ast.While(condition, self._parse_body(), keyword)

    def parse_do(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        body = self._parse_body()
        self._expect("WHILE", "after the body of 'do'")
        condition = self._parse_condition("while")
        self._finish_with_semicolon("after 'do ... while (...)'")
        return c_ast.DoWhile(condition, body, keyword)

    def parse_for(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        self._expect("LPAREN", "after 'for'")
        self._push_scope()
        loop = c_ast.For(None, None, None, c_ast.EmptyStatement(keyword), keyword)
        start = self._at
        try:
            self._parse_for_header(loop)
        except SyntaxFault as fault:
            after = self._after_parentheses(start - 1)
            if after is None or after <= fault.index:
                raise
            self._report(fault, start)
            self._at = after
        loop.stmt = self._parse_body()
        self._pop_scope()
        return loop

    def _parse_for_header(self, loop: c_ast.For) -> None:
        if self._starts_declaration():
            spec, saw_type, _ = self._parse_declaration_specifiers()
            loop.init = c_ast.DeclList(self._parse_decl_body_with_spec(spec, saw_type), loop.coord)
        elif self._peek_type() != "SEMI":
            loop.init = self._parse_expression()
        self._expect("SEMI", "after the first part of 'for'")
        if self._peek_type() != "SEMI":
            loop.cond = self._parse_expression()
        self._expect("SEMI", "after the condition of 'for'")
        if self._peek_type() != "RPAREN":
            loop.next = self._parse_expression()
        self._expect("RPAREN")

    # jumps

    def parse_goto(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        name = self._peek()
        if name is None or name.type not in ("ID", "TYPEID"):
            self._fail("expected the name of a label after 'goto'")
        self._at += 1
        self._finish_with_semicolon("after 'goto'")
        return c_ast.Goto(name.value, keyword)

    def parse_break(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        self._finish_with_semicolon("after 'break'")
        return c_ast.Break(keyword)

    def parse_continue(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        self._finish_with_semicolon("after 'continue'")
        return c_ast.Continue(keyword)

    def parse_return(self, keyword: Token) -> c_ast.Node:
        self._at += 1
        if self._accept("SEMI"):
            return c_ast.Return(None, keyword)
        expr = self._parse_expression()
        self._finish_with_semicolon("after 'return'")
        return c_ast.Return(expr, keyword)

    def parse_block(self, _opening: Token) -> c_ast.Node:
        return self._parse_compound_statement()

    def parse_stray_else(self, keyword: Token) -> c_ast.Node:
        self._fail("'else' without 'if'", keyword)


def _cases(items: list[c_ast.Node]) -> list[c_ast.Node]:
    """The statements of a switch body, those after a label moved into its Case or Default; of
    labels in a row, all but the last get no statement.
    """
    result: list[c_ast.Node] = []
    current: c_ast.Case | c_ast.Default | None = None
    for item in items:
        if not isinstance(item, (c_ast.Case, c_ast.Default)):
            (result if current is None else current.stmts).append(item)
            continue
        current = item
        result.append(current)
        while isinstance(current.stmts[0], (c_ast.Case, c_ast.Default)):
            following = current.stmts.pop()
            assert isinstance(following, (c_ast.Case, c_ast.Default))
            result.append(following)
            current = following
    return result


_STATEMENTS = {
    "LBRACE": StatementParser.parse_block,
    "CASE": StatementParser.parse_labels,
    "DEFAULT": StatementParser.parse_labels,
    "IF": StatementParser.parse_if,
    "ELSE": StatementParser.parse_stray_else,
    "SWITCH": StatementParser.parse_switch,
    "WHILE": StatementParser.parse_while,
    "DO": StatementParser.parse_do,
    "FOR": StatementParser.parse_for,
    "GOTO": StatementParser.parse_goto,
    "BREAK": StatementParser.parse_break,
    "CONTINUE": StatementParser.parse_continue,
    "RETURN": StatementParser.parse_return,
}
