// A profile as a tree: what the server sends, and what is made of it: reversed, or by library.

class Node {
  constructor(name, kind, about, parent) {
    this.name = name;
    this.kind = kind;
    this.about = about;
    this.parent = parent;
    this.self = this.flat = this.objects = this.total = this.weight = 0;
    this.depth = parent ? parent.depth + 1 : 0;
    this.children = null; // by key; most nodes have no more than one child
    this.sorted = none;
  }

  child(f) {
    const only = this.sorted[0];
    if (only?.about.key === f.key) return only;
    let c = this.children?.get(f.key);
    if (c) return c;
    c = new Node(f.name, f.kind, f, this);
    if (!only) this.sorted = [c];
    else {
      this.children ??= new Map();
      this.children.set(f.key, c);
      this.sorted.push(c);
    }
    return c;
  }
}

const none = [];

// parentOf returns the index of the parent of the node i; -1 for none. The server sends how far before it that is.
const parentOf = (sent, i) => sent.nodes[i][0] ? i - sent.nodes[i][0] : -1;

// stacksOf returns, for each node with bytes of its own, the stack of function numbers, the outermost first.
export function stacksOf(sent) {
  const list = [];
  for (let i = 0; i < sent.nodes.length; i++) {
    const [, , self = 0, objects = 0] = sent.nodes[i];
    if (!self && !objects) continue;
    const path = [];
    for (let at = i; at >= 0; at = parentOf(sent, at)) path.push(sent.nodes[at][1]);
    list.push({ path: path.reverse(), self, objects });
  }
  return list;
}

// functionsOf returns the functions of what the server sent. Those with the same key are one in the tree.
function functionsOf(sent, library) {
  return sent.functions.map(([name, file, lib, kind]) => {
    const f = { name: sent.texts[name], file: sent.texts[file], library: sent.texts[lib], kind };
    if (library && f.library) [f.name, f.file] = [f.library, ""];
    f.key = library ? f.name : f.name + "\n" + f.file + "\n" + f.library;
    return f;
  });
}

let built = {}; // the last tree, and what it was made of

// build returns the tree of what the server sent.
export function build(sent, { reverse, library }) {
  if (built.sent !== sent || built.reverse !== reverse || built.library !== library) built = { sent, reverse, library, tree: treeOf(sent, { reverse, library }) };
  return built.tree;
}

function treeOf(sent, { reverse, library }) {
  const functions = functionsOf(sent, library), root = new Node("all", 4, null, null);
  if (reverse || library) rebuild(root, sent, functions, { reverse, library });
  else copy(root, sent, functions);
  sum(root);
  return root;
}

// copy makes the tree as it was sent.
function copy(root, sent, functions) {
  const made = [];
  for (let i = 0; i < sent.nodes.length; i++) {
    const [, number, self = 0, objects = 0] = sent.nodes[i], parent = parentOf(sent, i);
    const at = (parent < 0 ? root : made[parent]).child(functions[number]);
    at.self += self;
    at.flat += self;
    at.objects += objects;
    made.push(at);
  }
}

// rebuild makes a tree of other paths. Flat belongs to who allocated, which a reversed path begins with.
function rebuild(root, sent, functions, { reverse, library }) {
  for (const { path, self, objects } of stacksOf(sent)) {
    let frames = path.map((f) => functions[f]);
    if (library) frames = frames.filter((f, i) => i === 0 || f.name !== frames[i - 1].name);
    if (reverse) frames.reverse();
    let at = root, first = null;
    for (const f of frames) {
      at = at.child(f);
      first ??= at;
    }
    at.self += self;
    at.objects += objects;
    (reverse ? first : at).flat += self;
  }
}

// sum adds up. Weight is in absolute values, so that what shrinks has a width, too.
function sum(node) {
  node.total = node.self;
  node.weight = Math.abs(node.self);
  for (const c of node.sorted) {
    sum(c);
    node.total += c.total;
    node.weight += c.weight;
  }
  node.children = null;
  if (node.sorted.length > 1) node.sorted.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
}

// pathOf returns what leads to a node: names, and keys where a sibling has the same name. A sibling of that name that appears
// only later may be followed instead, if it is larger: keys in every address would make it many times as long.
export function pathOf(node) {
  const path = [];
  for (; node.parent; node = node.parent) {
    const alone = node.parent.sorted.every((c) => c === node || c.name !== node.name);
    path.unshift(alone ? node.name : node.about.key);
  }
  return path;
}

// follow returns the node that a path leads to, as far as it leads. Of siblings with one name it takes the one below which the
// path leads farthest; if there are several, the largest.
export function follow(at, path, passed = 0) {
  let farthest = at;
  if (passed === path.length) return at;
  for (const c of at.sorted) {
    if (c.name !== path[passed] && c.about.key !== path[passed]) continue;
    const to = follow(c, path, passed + 1);
    if (to.depth > farthest.depth) farthest = to;
  }
  return farthest;
}

// table returns each function below a node, with its own sum, and that with its callees, counted once in recursion.
export function table(root) {
  const rows = new Map();
  const visit = (node, above) => {
    let row = null;
    if (node.about) {
      row = rows.get(node.about.key);
      if (!row) rows.set(node.about.key, row = { name: node.name, about: node.about, flat: 0, cum: 0 });
      row.flat += node.flat;
      if (!above.has(row)) row.cum += node.total;
      else row = null;
    }
    if (row) above.add(row);
    for (const c of node.sorted) visit(c, above);
    if (row) above.delete(row);
  };
  visit(root, new Set());
  return [...rows.values()];
}
