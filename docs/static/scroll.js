// A table, a formula or a piece of code that goes on to the right is marked, so that one sees that it can be scrolled.
(() => {
  const mark = (box) => box.classList.toggle("goes-on", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
  const boxes = () => document.querySelectorAll(".bd-article :is(pre, table, .formula)");
  const all = () => boxes().forEach(mark);
  document.addEventListener("DOMContentLoaded", () => {
    boxes().forEach((box) => box.addEventListener("scroll", () => mark(box), { passive: true }));
    all();
  });
  window.addEventListener("load", all);
  window.addEventListener("resize", all);
})();
