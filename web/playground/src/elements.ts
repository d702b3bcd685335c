/** byId returns the element of index.html with an ID. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`index.html has no element with the ID ${id}`);
  }
  return found as Type;
}

type Child = Node | string | false | undefined;

/** make returns a new element with a class and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== "") {
    element.className = className;
  }
  element.append(...children.filter((child) => child !== false && child !== undefined));
  return element;
}

/** button returns a button that does something. */
export function button(
  className: string,
  click: () => void,
  ...children: Child[]
): HTMLButtonElement {
  const element = make("button", className, ...children);
  element.type = "button";
  element.addEventListener("click", click);
  return element;
}
