import { button, make } from "./elements.js";

/** A Row is an object of a table: what its cells say, by what they sort, and what opens below it. */
export interface Row {
  sign: string;
  cells: string[];
  keys: (string | number)[];
  details: () => Node[];
}

/** sorted is the column by which tables are sorted, which stays when the report changes. */
const sorted = { column: 1, sign: 1 };

/** tableOf returns a table whose rows sort by a click on the title of a column, and open. */
export function tableOf(titles: string[], rows: Row[]): HTMLTableElement {
  const heads = titles.map((title, column) => {
    const sort = () => {
      sorted.sign = sorted.column === column ? -sorted.sign : 1;
      sorted.column = column;
      order();
    };
    const head = make("th", "", button("link", sort, title));
    head.scope = "col";
    return head;
  });
  const bodies = rows.map((row) => ({ row, body: bodyOf(row, titles.length) }));
  const table = make("table", "", make("thead", "", make("tr", "", ...heads)));
  order();
  return table;

  function order(): void {
    const { column, sign } = sorted;
    for (const [i, head] of heads.entries()) {
      head.ariaSort = i === column ? (sign > 0 ? "ascending" : "descending") : null;
    }
    bodies.sort((a, b) => sign * compare(a.row.keys[column] ?? "", b.row.keys[column] ?? ""));
    table.append(...bodies.map(({ body }) => body));
  }
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" ? a - Number(b) : a.localeCompare(`${b}`, "en", { numeric: true });
}

/** bodyOf returns the row of an object, and one below it for its details, which are made when it is opened. */
function bodyOf({ sign, cells, details }: Row, columns: number): HTMLTableSectionElement {
  const [title = "", ...rest] = cells;
  const below = make("tr", "");
  below.hidden = true;
  const toggle = () => {
    if (below.childElementCount === 0) {
      const cell = make("td", "", ...details());
      cell.colSpan = columns;
      below.append(cell);
    }
    below.hidden = !below.hidden;
    opener.ariaExpanded = `${!below.hidden}`;
  };
  const opener = button("link", toggle, title);
  opener.ariaExpanded = "false";
  const row = [make("td", "", opener), ...rest.map((cell) => make("td", "", cell))];
  const body = make("tbody", "", make("tr", "", ...row), below);
  body.dataset.sign = sign;
  return body;
}
