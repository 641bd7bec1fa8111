"use strict";
document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("gimlet-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* A page from disk may have no storage. */ }
