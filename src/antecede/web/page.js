
// What the page does beyond being read: a read-out of the mark that is pointed at or focused, zooming of diagrams, and a
// filter of violations.
// A diagram lies in a box that scrolls; zooming changes the drawing's size, so panning is scrolling: by wheel, finger,
// keyboard or by dragging. Nothing here makes HTML out of text: what is shown is copied with textContent.
"use strict";

(() => {
  const SCALE_MIN = 0.25, SCALE_MAX = 6, READABLE = 0.8;

  function setUp(figure) {
    const view = figure.querySelector(".view");
    const drawing = view.querySelector("svg");
    const natural = { width: drawing.viewBox.baseVal.width, height: drawing.viewBox.baseVal.height };
    let scale = 1;

    function zoom(wanted, at) {
      const box = view.getBoundingClientRect();
      const x = at ? at.x - box.left : box.width / 2;
      const y = at ? at.y - box.top : box.height / 2;
      const before = scale;
      scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, wanted));
      drawing.setAttribute("width", natural.width * scale);
      drawing.setAttribute("height", natural.height * scale);
      view.scrollLeft = (view.scrollLeft + x) * scale / before - x;
      view.scrollTop = (view.scrollTop + y) * scale / before - y;
      view.classList.toggle("draggable", view.scrollWidth > view.clientWidth || view.scrollHeight > view.clientHeight);
    }

    // All of it where letters stay readable; else as small as they may be, and the box scrolls.
    function fit() {
      const width = figure.parentElement.clientWidth, height = parseFloat(getComputedStyle(view).maxHeight);
      const all = Math.min(width / natural.width, (height || natural.height) / natural.height);
      zoom(width > 0 ? Math.min(1, Math.max(READABLE, all)) : 1);
      view.scrollLeft = view.scrollTop = 0;
    }

    figure.querySelector(".tools").hidden = false;
    figure.querySelector(".tools").addEventListener("click", (event) => {
      const way = event.target.dataset.zoom;
      if (way === "in") zoom(scale * 1.25);
      if (way === "out") zoom(scale / 1.25);
      if (way === "fit") fit();
    });
    keyboard(view, { zoomIn: () => zoom(scale * 1.25), zoomOut: () => zoom(scale / 1.25), fit });
    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(scale * Math.exp(-event.deltaY / 300), { x: event.clientX, y: event.clientY });
    }, { passive: false });
    drag(view);
    pinch(view, (factor, at) => zoom(scale * factor, at));
    readOut(figure, view);
    fit();
    figure.closest("details").addEventListener("toggle", fit);
  }

  function keyboard(view, act) {
    const step = 60;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    view.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "+" || event.key === "=") act.zoomIn();
      else if (event.key === "-" || event.key === "_") act.zoomOut();
      else if (event.key === "0") act.fit();
      else if (moves[event.key] && view.classList.contains("draggable")) view.scrollBy(...moves[event.key]);
      else return;
      event.preventDefault();
    });
  }

  function drag(view) {
    let from = null;
    view.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0) return;
      from = { x: event.clientX + view.scrollLeft, y: event.clientY + view.scrollTop };
    });
    view.addEventListener("pointermove", (event) => {
      if (!from) return;
      if (!(event.buttons & 1)) { stop(); return; }
      view.classList.add("dragging");
      view.scrollLeft = from.x - event.clientX;
      view.scrollTop = from.y - event.clientY;
    });
    function stop() { from = null; view.classList.remove("dragging"); }
    view.addEventListener("pointerup", stop);
    view.addEventListener("pointercancel", stop);
  }

  function pinch(view, change) {
    let apart = 0;
    const distance = (touches) => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
    view.addEventListener("touchmove", (event) => {
      if (event.touches.length !== 2) { apart = 0; return; }
      event.preventDefault();
      const now = distance(event.touches);
      const middle = {
        x: (event.touches[0].clientX + event.touches[1].clientX) / 2,
        y: (event.touches[0].clientY + event.touches[1].clientY) / 2,
      };
      if (apart > 0 && now > 0) change(now / apart, middle);
      apart = now;
    }, { passive: false });
    view.addEventListener("touchend", () => { apart = 0; });
  }

  // Pointing at a mark, or focusing it, says what it is and lights up the message it belongs to.
  function readOut(figure, view) {
    const line = figure.querySelector(".readout");
    const marks = [...view.querySelectorAll(".event, .message, .process")];
    const byMessage = new Map();
    for (const mark of marks) {
      const id = mark.dataset.message;
      if (id) byMessage.set(id, [...(byMessage.get(id) || []), mark]);
    }
    let lit = [];
    function show(event) {
      const mark = event.target.closest(".event, .message, .process");
      if (!mark) return;
      for (const other of lit) other.classList.remove("lit");
      lit = byMessage.get(mark.dataset.message) || [mark];
      for (const other of lit) other.classList.add("lit");
      line.textContent = mark.querySelector("title").textContent;
    }
    for (const kind of ["pointerover", "focusin", "click"]) view.addEventListener(kind, show);
  }

  // Closed parts are opened for printing and closed again after it.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll(".violation details:not([open]), .more:not([open])")];
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => { for (const part of closed) part.open = false; });

  // A diagram is set up when its part of the page is first open, so that a hundred of them cost nothing.
  for (const figure of document.querySelectorAll("figure.diagram")) {
    const part = figure.closest("details");
    if (part.open) setUp(figure);
    else part.addEventListener("toggle", () => setUp(figure), { once: true });
  }
  // A link to a violation opens it.
  function openTarget() {
    const target = /^#violation-\d+$/.test(location.hash) && document.querySelector(location.hash);
    if (!target) return;
    for (let part = target.closest(".more"); part; part = part.parentElement.closest(".more")) part.open = true;
    if (target.querySelector("details")) target.querySelector("details").open = true;
    target.scrollIntoView();
  }

  // The list of violations, filtered by a process that takes part and by link. Marks are numbers, separated by blanks.
  function setUpFilter(filter) {
    const choices = [...filter.querySelectorAll("select")], line = filter.querySelector(".note");
    const list = document.querySelector(".violations"), entries = [...list.querySelectorAll(".violation")];
    function apply() {
      const wanted = choices.filter((choice) => choice.value !== "");
      let shown = 0;
      for (const entry of entries) {
        entry.hidden = !wanted.every((choice) => entry.dataset[choice.dataset.filter].split(" ").includes(choice.value));
        if (!entry.hidden) shown += 1;
      }
      for (const part of list.querySelectorAll(".shape, .more")) {
        part.hidden = !part.querySelector(".violation:not([hidden])");
        if (part.matches(".more") && wanted.length) part.open = true;
      }
      line.textContent = wanted.length ? `${shown} of ${entries.length} listed violations` : "";
    }
    filter.hidden = false;
    filter.addEventListener("change", apply);
  }
  for (const filter of document.querySelectorAll(".filter")) setUpFilter(filter);
  addEventListener("hashchange", openTarget);
  openTarget();
})();
