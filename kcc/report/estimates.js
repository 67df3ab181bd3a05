"use strict";
// Sorts the rows of a table by the column whose heading is clicked: numbers as numbers, what has no
// value last; rows that are equal keep their order.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell === undefined ? "" : cell.dataset.value ?? cell.textContent;
    const number = Number(text);
    return text === "" || text === "-" ? null : Number.isNaN(number) ? text : number;
  };
  const order = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const falling = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return falling ? order(b, a) : order(a, b);
    });
    body.append(...rows.map(([, row]) => row));
  }));
}
