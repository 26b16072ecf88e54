// A table, a formula or a piece of code that goes on to the right is marked, so that one sees that it can be scrolled.
document.addEventListener("DOMContentLoaded", () => {
  const mark = (box) => box.classList.toggle("goes-on", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
  for (const box of document.querySelectorAll(".bd-article :is(pre, table, .formula)")) {
    box.addEventListener("scroll", () => mark(box), { passive: true });
    watch.observe(box);
  }
});
