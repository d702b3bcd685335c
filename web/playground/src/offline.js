// The service worker. What the build puts before it: `version`, which changes with any file,
// and `files`, everything that the page loads.

const name = `playground-${version}`;

self.addEventListener("install", (event) => {
  const fresh = files.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOthers().then(() => self.clients.claim()));
});

/** removeOthers removes the files of other versions of this page, but not those of other pages. */
async function removeOthers() {
  const all = await caches.keys();
  const others = all.filter((other) => other.startsWith("playground-") && other !== name);
  await Promise.all(others.map((other) => caches.delete(other)));
}

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") {
    event.respondWith(fromCache(event.request));
  }
});

async function fromCache(request) {
  const cache = await caches.open(name);
  const options = { ignoreSearch: request.mode === "navigate", ignoreVary: true };
  const kept = await cache.match(request, options);
  return kept ?? fetch(request);
}
