/* Generated from tools/internal/reference. Do not edit: run `pnpm generate` instead. Includes preact and preact-render-to-string, copyright Jason Miller, MIT. */

// node_modules/.pnpm/preact@11.2.0_preact-render-to-string@6.8.2/node_modules/preact/dist/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n2) {
  n2 && n2.parentNode && n2.remove();
}
function k(n2, t2, r2) {
  var u3, i3, f4, o4 = {}, e2 = arguments.length;
  for (f4 in t2) "key" == f4 ? u3 = t2[f4] : "ref" == f4 && "function" != typeof n2 ? i3 = t2[f4] : o4[f4] = t2[f4];
  return e2 > 2 && (o4.children = e2 > 3 ? d.call(arguments, 2) : r2), m(n2, o4, u3, i3, null);
}
function m(r2, u3, i3, f4, o4) {
  var e2 = { type: r2, props: u3, key: i3, ref: f4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o4 || ++t, __i: -1, __u: 0 };
  return !o4 && n.vnode && n.vnode(e2), e2;
}
function $(n2) {
  return n2.children;
}
function x(n2, t2) {
  this.props = n2, this.context = t2, this.__g = 0;
}
function S(n2, t2) {
  if (null == t2) return n2.__ && S(n2.__, n2.__i + 1);
  for (var r2; t2 < n2.__k.length; t2++) if ((r2 = n2.__k[t2]) && r2.__e) return r2.__e;
  return "function" != typeof n2.type || n2.props.__P ? null : S(n2);
}
function C(t2) {
  var r2, u3 = t2.__v, i3 = u3.__e, f4 = [], o4 = [], e2 = t2.__P;
  e2 && ((r2 = _({ constructor: h }, u3)).__v = u3.__v + 1, n.vnode && n.vnode(r2), z(e2, r2, u3, t2.__n, e2.namespaceURI, 32 & u3.__u ? [i3] : null, f4, i3 || S(u3), 32 & u3.__u, o4), r2.__v = u3.__v, r2.__.__k[r2.__i] = r2, E(f4, r2, o4), u3.__ = u3.__e = null, r2.__e != i3 && j(r2));
}
function j(n2) {
  if ((n2 = n2.__) && n2.__c && !n2.props.__P) return n2.__e = null, n2.__k.some(function(t2) {
    return t2 && (n2.__e = t2.__e);
  }), j(n2);
}
function L(t2) {
  (8 & t2.__g || (t2.__g |= 8, u.push(t2), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n2, t2 = 1; u.length; ) u.length > t2 && u.sort(o), n2 = u.shift(), t2 = u.length, 8 & n2.__g && C(n2);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n2, t2, r2, u3, i3, f4, o4, e2, l3, c3, a4) {
  var s3, h3, v3, w3, d3, _3, g3 = u3.__k || y, k3 = t2.length;
  for (l3 = q(r2, t2, g3, l3, k3), s3 = 0; s3 < k3; s3++) null != (v3 = r2.__k[s3]) && (h3 = ~v3.__i && g3[v3.__i] || p, v3.__i = s3, _3 = z(n2, v3, h3, i3, f4, o4, e2, l3, c3, a4), w3 = v3.__e, (h3.ref != v3.ref || 8 & h3.__u) && (h3.ref && G(h3.ref, null, v3, h3), v3.ref && a4.push(v3.ref, v3.__c || w3, v3)), d3 = d3 || w3, 4 & v3.__u ? (l3 = A(v3, l3, n2, !h3.__v), h3.__e && (h3.__e = null)) : "function" == typeof v3.type && void 0 !== _3 ? l3 = _3 : w3 && (l3 = w3.nextSibling), v3.__u &= -21);
  return r2.__e = d3, l3;
}
function q(n2, t2, r2, u3, i3) {
  var f4, o4, e2, l3, c3, a4, s3, p3, y3, v3 = r2.length, d3 = v3, _3 = 0, g3 = 0, k3 = n2.__k = Array(i3);
  for (f4 = 0; f4 < i3; f4++) null != (o4 = t2[f4]) && "boolean" != typeof o4 && "function" != typeof o4 ? ("object" != typeof o4 || o4.constructor === String ? o4 = k3[f4] = m(null, o4) : w(o4) ? o4 = k3[f4] = m($, { children: o4 }) : o4.constructor === h && o4.__b ? o4 = k3[f4] = m(o4.type, o4.props, o4.key, o4.ref, o4.__v) : k3[f4] = o4, l3 = f4 + _3, o4.__ = n2, o4.__b = n2.__b + 1, e2 = null, ~(c3 = o4.__i = P(o4, r2, l3, d3)) && (d3--, (e2 = r2[c3]) && (e2.__u |= 2)), e2 && e2.__v ? (o4.__u |= 16, c3 == l3 - 1 ? _3-- : c3 == l3 + 1 ? _3++ : c3 != l3 && (c3 > l3 ? _3-- : _3++, g3 = 1)) : (~c3 || (i3 > v3 ? _3-- : i3 < v3 && _3++), "function" != typeof o4.type && (o4.__u |= 4))) : k3[f4] = null;
  if (g3) {
    for (a4 = [], s3 = [], f4 = 0; f4 < i3; f4++) if ((o4 = k3[f4]) && 16 & o4.__u) {
      for (_3 = 0, p3 = a4.length; _3 < p3; ) a4[y3 = _3 + p3 >> 1] < o4.__i ? _3 = y3 + 1 : p3 = y3;
      a4[_3] = o4.__i, s3[f4] = _3 + 1;
    }
    for (_3 = a4.length; f4--; ) s3[f4] && (s3[f4] == _3 ? _3-- : k3[f4].__u |= 4);
  }
  if (d3) for (f4 = 0; f4 < v3; f4++) !(e2 = r2[f4]) || 2 & e2.__u || (e2.__e == u3 && (u3 = S(e2)), J(e2, e2));
  return u3;
}
function A(n2, t2, r2, u3) {
  var i3, f4, o4, e2;
  if ("function" == typeof n2.type) {
    if (n2.props.__P) return t2;
    if (i3 = n2.__k) for (f4 = 0; f4 < i3.length; f4++) i3[f4] && (i3[f4].__ = n2, t2 = A(i3[f4], t2, r2, false));
    return t2;
  }
  for (t2 && !t2.parentNode && (t2 = S(n2)) && !t2.parentNode && (t2 = null), o4 = n2.__e, e2 = t2; e2 && 8 == e2.nodeType; ) e2 = e2.nextSibling;
  for (o4 != e2 && (!u3 && r2.moveBefore && o4.parentNode ? r2.moveBefore(o4, t2) : r2.insertBefore(o4, t2 || null)), t2 = o4; (t2 = t2 && t2.nextSibling) && 8 == t2.nodeType && !t2.data.startsWith("$s"); ) ;
  return t2;
}
function P(n2, t2, r2, u3) {
  var i3, f4 = n2.key, o4 = n2.type, e2 = t2[r2], l3 = e2 && !(2 & e2.__u);
  if (null === e2 && null == f4 || l3 && f4 == e2.key && o4 == e2.type) return r2;
  if (u3 > (l3 ? 1 : 0)) {
    for (i3 = r2 - 1; i3 >= 0; i3--) if ((e2 = t2[i3]) && !(2 & e2.__u) && f4 == e2.key && o4 == e2.type) return i3;
    for (i3 = r2 + 1; i3 < t2.length; i3++) if ((e2 = t2[i3]) && !(2 & e2.__u) && f4 == e2.key && o4 == e2.type) return i3;
  }
  return -1;
}
function T(n2, t2, r2) {
  null == r2 && (r2 = ""), "-" == t2[0] ? n2.setProperty(t2, r2) : n2[t2] = r2;
}
function N(n2, t2, r2, u3, i3) {
  var f4, o4;
  if ("style" == t2) if ("string" == typeof r2) n2.style.cssText = r2;
  else {
    if ("string" == typeof u3 && (n2.style.cssText = u3 = ""), u3) for (t2 in u3) r2 && t2 in r2 || T(n2.style, t2);
    if (r2) for (t2 in r2) u3 && r2[t2] == u3[t2] || T(n2.style, t2, r2[t2]);
  }
  else if ("o" == t2[0] && "n" == t2[1]) "function" != typeof r2 && (r2 = null), "function" != typeof u3 && (u3 = null), (n2.__e || (n2.__e = {}))[t2] = r2, r2 && u3 || (o4 = a[t2] || (a[t2] = V(t2)), (n2.__a || (n2.__a = {}))[t2] = c, f4 = t2 != (t2 = t2.replace(l, "$1")), (t2 = t2.slice(2))[0] < "a" && (t2 = t2.toLowerCase()), r2 ? n2.addEventListener(t2, o4, f4) : n2.removeEventListener(t2, o4, f4));
  else {
    if ("http://www.w3.org/2000/svg" == i3) t2 = t2.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t2 && "height" != t2 && "href" != t2 && "list" != t2 && "form" != t2 && "tabIndex" != t2 && "download" != t2 && "rowSpan" != t2 && "colSpan" != t2 && "role" != t2 && "popover" != t2 && t2 in n2) try {
      return void (n2[t2] = null == r2 ? "" : r2);
    } catch (n3) {
    }
    if ("function" == typeof r2) return;
    null == r2 || false === r2 && "-" != t2[4] ? n2.removeAttribute(t2) : n2.setAttribute(t2, "popover" == t2 && 1 == r2 ? "" : r2);
  }
}
function V(t2) {
  return function(r2) {
    var u3 = this.__e;
    if (u3) {
      if (u3 = u3[t2], null == r2[e]) r2[e] = c++;
      else if (r2[e] < this.__a[t2]) return;
      return u3(n.event ? n.event(r2) : r2);
    }
  };
}
function z(t2, r2, u3, i3, f4, o4, e2, l3, c3, a4) {
  var s3, p3, v3, d3, k3, b2, m3, M2, C2, j3, L2, H3, q3, A2, O, P3, T3, N3, V3 = r2.type;
  if (r2.constructor !== h) return null;
  128 & u3.__u && (c3 = 32 & u3.__u, s3 = u3.__c.__z) && (r2.__u |= c3, p3 = o4 = [], 8 == s3.nodeType ? l3 = B(s3, o4) : o4.push(s3), l3 = o4[0] || l3), (s3 = n.__b) && s3(r2);
  n: if ("function" == typeof V3) {
    v3 = e2.length;
    try {
      if (M2 = r2.props, C2 = (s3 = V3.prototype) && s3.render, j3 = (s3 = V3.contextType) && i3[s3.__c], L2 = s3 ? j3 ? j3.props.value : s3.__ : i3, (d3 = u3.__c) ? (r2.__c = d3, 2 & d3.__g && (d3.__g |= 1)) : (C2 ? r2.__c = d3 = new V3(M2, L2) : (r2.__c = d3 = new x(M2, L2), d3.constructor = V3, d3.render = K), j3 && j3.sub(d3), d3.state || (d3.state = {}), d3.__n = i3, d3.__g |= 8, d3.__h = [], d3.__k = []), C2 && (d3.__s || (d3.__s = d3.state), V3.getDerivedStateFromProps && (d3.__s == d3.state && (d3.__s = _({}, d3.__s)), _(d3.__s, V3.getDerivedStateFromProps(M2, d3.__s)))), k3 = d3.props, b2 = d3.state, d3.__v = r2, u3.__c) {
        if (M2 !== k3 && C2 && !V3.getDerivedStateFromProps && d3.componentWillReceiveProps && d3.componentWillReceiveProps(M2, L2), r2.__v == u3.__v && !(8 & d3.__g) || !(4 & d3.__g) && d3.shouldComponentUpdate && false === d3.shouldComponentUpdate(M2, d3.__s, L2)) {
          r2.__v != u3.__v && (d3.props = M2, d3.state = d3.__s, d3.__g &= -9), r2.__e = u3.__e, r2.__k = u3.__k, r2.__k.some(function(n2) {
            n2 && (n2.__ = r2);
          }), y.push.apply(d3.__h, d3.__k), d3.__k = [], d3.__h.length && e2.push(d3), l3 = S(u3);
          break n;
        }
        d3.componentWillUpdate && d3.componentWillUpdate(M2, d3.__s, L2), C2 && d3.componentDidUpdate && d3.__h.push(function() {
          d3.componentDidUpdate(k3, b2, m3);
        });
      } else C2 && !V3.getDerivedStateFromProps && d3.componentWillMount && d3.componentWillMount(), C2 && d3.componentDidMount && d3.__h.push(d3.componentDidMount);
      d3.context = L2, d3.props = M2, d3.__P = t2, d3.__g &= -5, H3 = n.__r, q3 = C2 ? 25 : 0;
      do {
        d3.__g &= -9, H3 && H3(r2), s3 = d3.render(d3.props, d3.state = d3.__s, d3.context);
      } while (8 & d3.__g && ++q3 < 25);
      C2 && (y.push.apply(d3.__h, d3.__k), d3.__k = []), d3.state = d3.__s, d3.getChildContext && (i3 = _({}, i3, d3.getChildContext())), C2 && u3.__c && d3.getSnapshotBeforeUpdate && (m3 = d3.getSnapshotBeforeUpdate(k3, b2)), A2 = s3 && s3.type === $ && null == s3.key ? s3.props.children : s3, M2.__P && (s3 = l3, f4 = (t2 = M2.__P).namespaceURI, c3 = o4 = null, u3.props && u3.props.__P != t2 && (u3.__k.some(function(n2) {
        n2 && J(n2, n2);
      }), u3.__k = null), l3 = u3.__k ? S(u3, 0) : null), l3 = I(t2, w(A2) ? A2 : [A2], r2, u3, i3, f4, o4, e2, l3, c3, a4), M2.__P && (r2.__e = null, l3 = s3), r2.__u &= -161, p3 && p3.some(g), d3.__h.length && e2.push(d3), 1 & d3.__g && (d3.__g &= -4);
    } catch (t3) {
      if (e2.length = v3, r2.__v = null, c3 || o4) if (t3 && t3.then) {
        if (r2.__u |= 128 | c3, o4) {
          for (~(T3 = o4.indexOf(l3 || void 0)) || (T3 = o4.length); (N3 = o4[T3 - 1]) && 8 == N3.nodeType; ) T3--;
          for (; T3 < o4.length; T3++) if (N3 = o4[T3]) if (o4[T3] = null, O) {
            if (N3 == P3) break;
          } else {
            if (8 != N3.nodeType) break;
            N3.data.startsWith("$s") && (P3 = B(O = N3));
          }
        }
        if (!O) {
          for (; l3 && 8 == l3.nodeType && l3.nextSibling; ) l3 = l3.nextSibling;
          O = l3;
        }
        (s3 = B(O = r2.__c.__z || (r2.__c.__z = O))) ? (r2.__e = O, l3 = s3) : r2.__e = l3, l3 = l3 && l3.nextSibling;
      } else o4 && o4.some(g);
      else r2.__e = u3.__e;
      r2.__k || (r2.__k = u3.__k || []), t3 && t3.then || D(r2), n.__e(t3, r2, u3);
    }
  } else l3 = r2.__e = F(u3.__e, r2, u3, i3, f4, o4, e2, c3, a4, t2);
  return (s3 = n.diffed) && s3(r2), l3;
}
function B(n2, t2) {
  if (n2 && 8 == n2.nodeType && n2.data.startsWith("$s")) for (var r2 = 1; n2 = n2.nextSibling; ) {
    if (8 == n2.nodeType) {
      if (n2.data.startsWith("$s")) r2++;
      else if (n2.data.startsWith("/$s") && !--r2) return n2;
    }
    t2 && t2.push(n2);
  }
}
function D(n2) {
  n2 && (n2.__c && (n2.__c.__g |= 4), n2.__k && n2.__k.some(D));
}
function E(t2, r2, u3) {
  for (var i3 = 0; i3 < u3.length; ) G(u3[i3++], u3[i3++], u3[i3++]);
  n.__c && n.__c(r2, t2), t2.some(function(r3) {
    try {
      t2 = r3.__h, r3.__h = [], t2.some(function(n2) {
        n2.call(r3);
      });
    } catch (t3) {
      n.__e(t3, r3.__v);
    }
  });
}
function F(t2, r2, u3, i3, f4, o4, e2, l3, c3, a4) {
  var s3, h3, y3, _3, k3, b2, m3, M2, $3 = u3.props || p, x3 = r2.props, C2 = r2.type;
  if ("svg" == C2 ? f4 = "http://www.w3.org/2000/svg" : "math" == C2 ? f4 = "http://www.w3.org/1998/Math/MathML" : f4 || (f4 = "http://www.w3.org/1999/xhtml"), o4) {
    for (s3 = 0; s3 < o4.length; s3++) if ((k3 = o4[s3]) && (C2 ? k3.localName == C2 : 3 == k3.nodeType)) {
      t2 = k3, o4[s3] = null;
      break;
    }
  }
  if (!t2) {
    if (M2 = a4.ownerDocument || document, !C2) return M2.createTextNode(x3);
    t2 = M2.createElementNS(f4, C2, x3.is ? x3 : a4), l3 && (n.__m && n.__m(r2, o4), l3 = false), o4 = null;
  }
  if (C2) {
    if (a4 = "template" == C2 && t2.content || t2, o4 = "textarea" == C2 && null != x3.defaultValue ? null : o4 && d.call(a4.childNodes), !l3 && o4) for ($3 = {}, s3 = 0; s3 < t2.attributes.length; s3++) $3[(k3 = t2.attributes[s3]).name] = k3.value;
    for (s3 in $3) k3 = $3[s3], "dangerouslySetInnerHTML" == s3 ? y3 = k3 : "children" == s3 || s3 in x3 || "value" == s3 && "defaultValue" in x3 || "checked" == s3 && "defaultChecked" in x3 || N(t2, s3, null, k3, f4);
    for (s3 in x3) k3 = x3[s3], "children" == s3 ? _3 = k3 : "dangerouslySetInnerHTML" == s3 ? h3 = k3 : "value" == s3 ? b2 = k3 : "checked" == s3 ? m3 = k3 : l3 && "function" != typeof k3 || $3[s3] === k3 || N(t2, s3, k3, $3[s3], f4);
    h3 ? (l3 || y3 && (h3.__html == y3.__html || h3.__html == t2.innerHTML) || (t2.innerHTML = h3.__html), r2.__k = []) : (y3 && (t2.textContent = ""), ("foreignObject" == C2 || "http://www.w3.org/1998/Math/MathML" == f4 && v.test(C2)) && (f4 = "http://www.w3.org/1999/xhtml"), I(a4, w(_3) ? _3 : [_3], r2, u3, i3, f4, o4, e2, o4 ? o4[0] : u3.__k && S(u3, 0), l3, c3), o4 && o4.some(g)), l3 && "textarea" != C2 || (s3 = "value", "progress" == C2 && null == b2 ? t2.removeAttribute(s3) : null == b2 || b2 === t2[s3] && ("progress" != C2 || b2) || N(t2, s3, b2, $3[s3], f4), s3 = "checked", null != m3 && m3 != t2[s3] && N(t2, s3, m3, $3[s3], f4));
  } else $3 === x3 || l3 && t2.data == x3 || (t2.data = x3);
  return t2;
}
function G(t2, r2, u3, i3) {
  try {
    "function" == typeof t2 ? r2 ? r2.__x = t2(r2) || 1 : i3 && (i3 = i3.__c || i3.__e) && (r2 = i3.__x) && (i3.__x = null, "function" == typeof r2 ? r2() : t2(null)) : t2.current = r2;
  } catch (t3) {
    n.__e(t3, u3);
  }
}
function J(t2, r2, u3) {
  var i3, f4, o4, e2;
  if (n.unmount && n.unmount(t2), !(i3 = t2.ref) || i3.current && i3.current != t2.__e || G(i3, null, r2, t2), i3 = t2.__c) {
    if (i3.componentWillUnmount) try {
      i3.componentWillUnmount();
    } catch (t3) {
      n.__e(t3, r2);
    }
    i3.__P = i3.__n = null;
  }
  if (i3 = t2.__k) for (e2 = 0; e2 < i3.length; e2++) i3[e2] && J(i3[e2], r2, "function" != typeof t2.type || u3 && !t2.props.__P);
  !u3 && (i3 = t2.__c) && (i3 = i3.__z) && (f4 = B(i3, o4 = [])) && (i3 == t2.__e && o4.some(g), g(f4), g(i3)), u3 || g(t2.__e), t2.__e = t2.__c = t2.__ = null;
}
function K(n2, t2, r2) {
  return this.constructor(n2, r2);
}
n = { __e: function(n2, t2, r2, u3) {
  for (var i3, o4, e2; t2 = t2.__; ) if ((i3 = t2.__c) && !(1 & i3.__g)) {
    i3.__g |= 4;
    try {
      if ((e2 = (o4 = i3.constructor) && o4.getDerivedStateFromError) && i3.setState(o4.getDerivedStateFromError(n2)), i3.componentDidCatch && (i3.componentDidCatch(n2, u3 || {}), e2 = 1), e2 && 8 & i3.__g) return void (i3.__g |= 2);
    } catch (t3) {
      n2 = t3;
    }
  }
  throw f = 0, n2;
} }, t = 0, r = function(n2) {
  return null != n2 && n2.constructor === h;
}, x.prototype.setState = function(n2, t2) {
  var r2 = this.__s;
  r2 && r2 != this.state || (r2 = this.__s = _({}, this.state)), "function" == typeof n2 && (n2 = n2(_({}, r2), this.props)), n2 && (_(r2, n2), this.__v && (t2 && this.__k.push(t2), L(this)));
}, x.prototype.forceUpdate = function(n2) {
  this.__v && (this.__g |= 4, n2 && this.__h.push(n2), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n2, t2) {
  return n2.__v.__b - t2.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// node_modules/.pnpm/preact@11.2.0_preact-render-to-string@6.8.2/node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var f2 = /* @__PURE__ */ Symbol.for("pv");
var o2 = 0;
function a2(t2, e2, n2, u3, a4, i3) {
  e2 || (e2 = {});
  var c3, l3, p3 = e2;
  if ("ref" in p3 && "function" != typeof t2) for (l3 in p3 = {}, e2) "ref" == l3 ? c3 = e2[l3] : p3[l3] = e2[l3];
  var s3 = { type: t2, props: p3, key: n2, ref: c3, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f2, __v: --o2, __i: -1, __u: 0 };
  return (a4 || i3) && (s3.__source = a4, s3.__self = i3), n.vnode && n.vnode(s3), s3;
}

// node_modules/.pnpm/preact-render-to-string@6.8.2_preact@11.2.0/node_modules/preact-render-to-string/dist/index.mjs
var o3 = "__s";
var i2 = "__c";
var a3 = "__k";
var u2 = "__d";
var c2 = "__s";
var f3 = /[\s\n\\/='"\0<>]/;
var s2 = /^(xlink|xmlns|xml)([A-Z])/;
var l2 = /^(?:accessK|auto[A-Z]|cell|ch|col|cont|cross|dateT|encT|form[A-Z]|frame|hrefL|inputM|maxL|minL|noV|playsI|popoverT|readO|rowS|src[A-Z]|tabI|useM|item[A-Z])/;
var p2 = /^ac|^ali|arabic|basel|cap|clipPath$|clipRule$|color|dominant|enable|fill|flood|font|glyph[^R]|horiz|image|letter|lighting|marker[^WUH]|overline|panose|pointe|paint|rendering|shape|stop|strikethrough|stroke|text[^L]|transform|underline|unicode|units|^v[^i]|^w|^xH/;
var h2 = /* @__PURE__ */ new Set(["draggable", "spellcheck"]);
function d2(e2) {
  void 0 !== e2.__g ? e2.__g |= 8 : e2[u2] = true;
}
function v2(e2) {
  void 0 !== e2.__g ? e2.__g &= -9 : e2[u2] = false;
}
function m2(e2) {
  return void 0 !== e2.__g ? !!(8 & e2.__g) : true === e2[u2];
}
var y2 = /["&<]/;
function _2(e2) {
  if (0 === e2.length || false === y2.test(e2)) return e2;
  for (var t2 = 0, n2 = 0, r2 = "", o4 = ""; n2 < e2.length; n2++) {
    switch (e2.charCodeAt(n2)) {
      case 34:
        o4 = "&quot;";
        break;
      case 38:
        o4 = "&amp;";
        break;
      case 60:
        o4 = "&lt;";
        break;
      default:
        continue;
    }
    n2 !== t2 && (r2 += e2.slice(t2, n2)), r2 += o4, t2 = n2 + 1;
  }
  return n2 !== t2 && (r2 += e2.slice(t2, n2)), r2;
}
var g2 = {};
var k2 = /* @__PURE__ */ new Set(["animation-iteration-count", "border-image-outset", "border-image-slice", "border-image-width", "box-flex", "box-flex-group", "box-ordinal-group", "column-count", "fill-opacity", "flex", "flex-grow", "flex-negative", "flex-order", "flex-positive", "flex-shrink", "flood-opacity", "font-weight", "grid-column", "grid-row", "line-clamp", "line-height", "opacity", "order", "orphans", "stop-opacity", "stroke-dasharray", "stroke-dashoffset", "stroke-miterlimit", "stroke-opacity", "stroke-width", "tab-size", "widows", "z-index", "zoom"]);
var b = /[A-Z]/g;
function x2(e2) {
  var t2 = "";
  for (var n2 in e2) {
    var r2 = e2[n2];
    if (null != r2 && "" !== r2) {
      var o4 = "-" == n2[0] ? n2 : g2[n2] || (g2[n2] = n2.replace(b, "-$&").toLowerCase()), i3 = ";";
      "number" != typeof r2 || o4.startsWith("--") || k2.has(o4) || (i3 = "px;"), t2 = t2 + o4 + ":" + r2 + i3;
    }
  }
  return t2 || void 0;
}
function w2() {
  this.__d = true;
}
function H2(e2, t2) {
  return { __v: e2, context: t2, props: e2.props, setState: w2, forceUpdate: w2, __d: true, __h: new Array(0) };
}
var T2 = {};
var j2 = [];
var P2 = Array.isArray;
var $2 = Object.assign;
var U = "";
var Z = "<!--$s-->";
var F2 = "<!--/$s-->";
function M(e2) {
  return "string" == typeof e2 ? Z + e2 + F2 : P2(e2) ? (e2.unshift(Z), e2.push(F2), e2) : e2 && "function" == typeof e2.then ? e2.then(M) : Z + e2 + F2;
}
function W() {
  return { beforeDiff: n.__b, afterDiff: n.diffed, renderHook: n.__r, unmountHook: n.unmount, rootHook: n.__, commitHook: n.__c, catchError: n.__e, errorBoundaries: n.errorBoundaries };
}
function B2(e2) {
  var t2 = n[o3];
  n[o3] = true;
  try {
    return e2();
  } finally {
    n[o3] = t2;
  }
}
function z2(n2, r2, o4) {
  var i3 = W();
  try {
    var u3 = B2(function() {
      var u4, c3 = k($, null);
      return c3[a3] = [n2], i3.rootHook && i3.rootHook(n2, ((u4 = {})[a3] = c3, u4.nodeType = 1, u4)), q2(n2, r2 || T2, false, void 0, c3, false, o4, i3);
    });
    return P2(u3) ? u3.join(U) : u3;
  } catch (e2) {
    if (e2.then) throw new Error('Use "renderToStringAsync" for suspenseful rendering.');
    throw e2;
  } finally {
    i3.commitHook && B2(function() {
      return i3.commitHook(n2, j2);
    }), j2.length = 0;
  }
}
function N2(e2, t2, n2) {
  var r2, o4 = e2.type, a4 = true;
  return e2[i2] ? (a4 = false, (r2 = e2[i2]).state = r2[c2]) : r2 = new o4(e2.props, t2), e2[i2] = r2, r2.__v = e2, r2.props = e2.props, r2.context = t2, d2(r2), null == r2.state && (r2.state = T2), null == r2[c2] && (r2[c2] = r2.state), o4.getDerivedStateFromProps ? r2.state = $2({}, r2.state, o4.getDerivedStateFromProps(r2.props, r2.state)) : a4 && r2.componentWillMount ? (r2.componentWillMount(), r2.state = r2[c2] !== r2.state ? r2[c2] : r2.state) : !a4 && r2.componentWillUpdate && r2.componentWillUpdate(), n2.renderHook && n2.renderHook(e2), r2.render(r2.props, r2.state, t2);
}
function q2(e2, n2, o4, u3, y3, g3, k3, b2) {
  if (null == e2 || true === e2 || false === e2 || e2 === U) return U;
  var w3 = typeof e2;
  if ("object" != w3) return "function" == w3 ? U : "string" == w3 ? _2(e2) : e2 + U;
  if (P2(e2)) {
    var C2, D2 = U;
    y3[a3] = e2;
    for (var A2 = e2.length, S2 = 0; S2 < A2; S2++) {
      var E2 = e2[S2];
      if (null != E2 && "boolean" != typeof E2) {
        var L2, j3 = q2(E2, n2, o4, u3, y3, g3, k3, b2);
        "string" == typeof j3 ? D2 += j3 : (C2 || (C2 = new Array(A2)), D2 && C2.push(D2), D2 = U, P2(j3) ? (L2 = C2).push.apply(L2, j3) : C2.push(j3));
      }
    }
    return C2 ? (D2 && C2.push(D2), C2) : D2;
  }
  if (!r(e2)) return U;
  e2.__ = y3, b2.beforeDiff && b2.beforeDiff(e2);
  var Z2 = e2.type, F3 = e2.props;
  if ("function" == typeof Z2) {
    var W2, z3, O, R2 = n2;
    if (Z2 === $) {
      if ("tpl" in F3) {
        for (var K2, G2 = U, J2 = 0; J2 < F3.tpl.length; J2++) if (G2 += F3.tpl[J2], F3.exprs && J2 < F3.exprs.length) {
          var Q = F3.exprs[J2];
          if (null == Q) continue;
          if ("object" == typeof Q && (r(Q) || P2(Q))) {
            var X, Y = q2(Q, n2, o4, u3, e2, g3, k3, b2);
            "string" == typeof Y ? G2 += Y : (K2 || (K2 = []), G2 && K2.push(G2), G2 = U, P2(Y) ? (X = K2).push.apply(X, Y) : K2.push(Y));
          } else G2 += Q;
        }
        return K2 ? (G2 && K2.push(G2), K2) : G2;
      }
      if ("UNSTABLE_comment" in F3) return "<!--" + _2(F3.UNSTABLE_comment) + "-->";
      z3 = F3.children;
    } else {
      if (null != (W2 = Z2.contextType)) {
        var ee = n2[W2.__c];
        R2 = ee ? ee.props.value : W2.__;
      }
      var te = Z2.prototype && "function" == typeof Z2.prototype.render;
      if (te) z3 = /**#__NOINLINE__**/
      N2(e2, R2, b2), O = e2[i2];
      else {
        e2[i2] = O = /**#__NOINLINE__**/
        H2(e2, R2);
        for (var ne = 0; m2(O) && ne++ < 25; ) {
          v2(O), b2.renderHook && b2.renderHook(e2);
          try {
            z3 = Z2.call(O, F3, R2);
          } catch (t2) {
            throw g3 && t2 && "function" == typeof t2.then && (e2._suspended = true), t2;
          }
        }
        d2(O);
      }
      if (null != O.getChildContext && (n2 = $2({}, n2, O.getChildContext())), te && b2.errorBoundaries && (Z2.getDerivedStateFromError || O.componentDidCatch)) {
        z3 = null != z3 && z3.type === $ && null == z3.key && null == z3.props.tpl ? z3.props.children : z3;
        try {
          return q2(z3, n2, o4, u3, e2, g3, false, b2);
        } catch (r2) {
          return Z2.getDerivedStateFromError && (O[c2] = Z2.getDerivedStateFromError(r2)), O.componentDidCatch && O.componentDidCatch(r2, T2), m2(O) ? (z3 = N2(e2, n2, b2), null != (O = e2[i2]).getChildContext && (n2 = $2({}, n2, O.getChildContext())), q2(z3 = null != z3 && z3.type === $ && null == z3.key && null == z3.props.tpl ? z3.props.children : z3, n2, o4, u3, e2, g3, k3, b2)) : U;
        } finally {
          b2.afterDiff && b2.afterDiff(e2), b2.unmountHook && b2.unmountHook(e2);
        }
      }
    }
    z3 = null != z3 && z3.type === $ && null == z3.key && null == z3.props.tpl ? z3.props.children : z3;
    try {
      var re = q2(z3, n2, o4, u3, e2, g3, k3, b2);
      return b2.afterDiff && b2.afterDiff(e2), b2.unmountHook && b2.unmountHook(e2), e2._suspended ? M(re) : re;
    } catch (t2) {
      if (!g3 && k3 && k3.onError) {
        var oe = (function t3(r2) {
          return k3.onError(r2, e2, function(e3, r3) {
            try {
              return B2(function() {
                return q2(e3, n2, o4, u3, r3, g3, k3, b2);
              });
            } catch (e4) {
              return t3(e4);
            }
          });
        })(t2);
        return void 0 !== oe ? oe : (b2.catchError && b2.catchError(t2, e2), U);
      }
      if (!g3) throw t2;
      if (!t2 || "function" != typeof t2.then) throw t2;
      return t2.then(function t3() {
        try {
          var r2 = B2(function() {
            return q2(z3, n2, o4, u3, e2, g3, k3, b2);
          });
          return e2._suspended ? M(r2) : r2;
        } catch (e3) {
          if (!e3 || "function" != typeof e3.then) throw e3;
          return e3.then(t3);
        }
      });
    }
  }
  var ie, ae = "<" + Z2, ue = U;
  for (var ce in F3) {
    var fe = F3[ce];
    if ("function" != typeof (fe = V2(fe) ? fe.value : fe) || "class" === ce || "className" === ce) {
      switch (ce) {
        case "children":
          ie = fe;
          continue;
        case "key":
        case "ref":
        case "__self":
        case "__source":
          continue;
        case "htmlFor":
          if ("for" in F3) continue;
          ce = "for";
          break;
        case "className":
          if ("class" in F3) continue;
          ce = "class";
          break;
        case "defaultChecked":
          ce = "checked";
          break;
        case "defaultSelected":
          ce = "selected";
          break;
        case "defaultValue":
        case "value":
          switch (ce = "value", Z2) {
            case "textarea":
              ie = fe;
              continue;
            case "select":
              u3 = fe;
              continue;
            case "option":
              u3 != fe || "selected" in F3 || (ae += " selected");
          }
          break;
        case "dangerouslySetInnerHTML":
          ue = fe && fe.__html;
          continue;
        case "style":
          "object" == typeof fe && (fe = x2(fe));
          break;
        case "acceptCharset":
          ce = "accept-charset";
          break;
        case "httpEquiv":
          ce = "http-equiv";
          break;
        default:
          if (f3.test(ce)) continue;
          s2.test(ce) ? ce = ce.replace(s2, "$1:$2").toLowerCase() : "-" !== ce[4] && !h2.has(ce) || null == fe ? o4 ? p2.test(ce) && (ce = "panose1" === ce ? "panose-1" : ce.replace(/([A-Z])/g, "-$1").toLowerCase()) : l2.test(ce) && (ce = ce.toLowerCase()) : fe += U;
      }
      null != fe && false !== fe && (ae = true === fe || fe === U ? ae + " " + ce : ae + " " + ce + '="' + _2(fe + U) + '"');
    }
  }
  if (f3.test(Z2)) throw new Error(Z2 + " is not a valid HTML tag name in " + ae + ">");
  if (ue || ("string" == typeof ie ? ue = _2(ie) : null != ie && false !== ie && true !== ie && (ue = q2(ie, n2, "svg" === Z2 || "foreignObject" !== Z2 && o4, u3, e2, g3, k3, b2))), b2.afterDiff && b2.afterDiff(e2), b2.unmountHook && b2.unmountHook(e2), !ue && I2.has(Z2)) return ae + "/>";
  var se = "</" + Z2 + ">", le = ae + ">";
  return P2(ue) ? [le].concat(ue, [se]) : "string" != typeof ue ? [le, ue, se] : le + ue + se;
}
var I2 = /* @__PURE__ */ new Set(["area", "base", "br", "col", "command", "embed", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr"]);
var R = z2;
function V2(e2) {
  return null !== e2 && "object" == typeof e2 && "function" == typeof e2.peek && "value" in e2;
}

// tools/internal/reference/dist/contract/read.js
function toObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
function toList(value) {
  return Array.isArray(value) ? value : [];
}
function toText(value) {
  return typeof value === "string" ? value : void 0;
}
function createReader(document2) {
  const targets = /* @__PURE__ */ new Map();
  const read = (node) => {
    const { $ref, ...beside } = toObject(node);
    if (typeof $ref !== "string")
      return beside;
    const known = targets.get($ref);
    if (known === void 0)
      targets.set($ref, {});
    const target = known ?? read(findTarget(document2, $ref));
    targets.set($ref, target);
    return { ...target, ...beside };
  };
  return read;
}
function findTarget(document2, ref) {
  const names = ref.slice(2).split("/").map(decodeName);
  return names.reduce((found, name) => typeof found === "object" && found !== null && Object.hasOwn(found, name) ? found[name] : void 0, document2);
}
function decodeName(name) {
  const pointer = name.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
function readSchemaName(schema) {
  const ref = toText(schema.$ref);
  return ref?.startsWith("#/components/schemas/") ? decodeName(ref.slice("#/components/schemas/".length)) : void 0;
}
function findOperation(document2, read, { path, method }) {
  const item = read(toObject(document2["paths"])[path]);
  const own = item[method.toLowerCase()] ?? toObject(item["additionalOperations"])[method];
  return { item, operation: read(own) };
}
function listParameters(read, item, operation) {
  const all = [item["parameters"], operation["parameters"]].flatMap(toList).map(read);
  return [
    ...new Map(all.map((one) => [`${String(one["in"])} ${String(one["name"])}`, one])).values()
  ];
}
function listExamples(read, media) {
  if (media["example"] !== void 0)
    return [{ name: "example", title: "Example", value: media["example"] }];
  return Object.entries(toObject(media["examples"])).map(([name, example]) => {
    const { summary, value, dataValue, serializedValue } = read(example);
    return {
      name,
      title: toText(summary) ?? name.replaceAll("-", " "),
      value: value ?? dataValue ?? serializedValue
    };
  });
}

// tools/internal/reference/dist/page/contract.js
function readOperation(document2, read, record) {
  const { item, operation } = findOperation(document2, read, record);
  return {
    record,
    slug: record.id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    summary: toText(operation["summary"]) ?? record.id,
    description: toText(operation["description"]) ?? "",
    provisional: operation["x-provisional"] ?? false,
    deprecated: operation["deprecated"] === true,
    parameters: toParameters(read, listParameters(read, item, operation)),
    body: toContents(read, read(operation["requestBody"])["content"]),
    responses: Object.entries(toObject(operation["responses"])).map(([status, response]) => toResponse(read, status, response))
  };
}
function toParameters(read, parameters) {
  const names = parameters.map(({ name, in: place }) => ({
    name: String(name),
    place: String(place)
  }));
  const isUnique = (name) => names.filter((other) => other.name === name).length === 1;
  const keys = names.map(({ name, place }) => isUnique(name) ? name : `${name} (${place})`);
  return {
    properties: Object.fromEntries(parameters.map((parameter, index) => {
      const { in: place, schema, content, description, "x-provisional": provisional } = parameter;
      const [media] = Object.values(toObject(content));
      return [
        keys[index],
        {
          ...toObject(schema ?? toObject(media)["schema"]),
          description: `**In the ${String(place)}.** ${toText(description) ?? ""}`,
          "x-provisional": provisional ?? false,
          deprecated: parameter["deprecated"] === true
        }
      ];
    })),
    required: keys.filter((_3, index) => parameters[index]?.["required"] === true)
  };
}
function toResponse(read, status, value) {
  const { description, headers, content } = read(value);
  return {
    status,
    description: toText(description) ?? "",
    headers: Object.entries(toObject(headers)).map(([name, header]) => ({
      name,
      description: toText(read(header)["description"]) ?? ""
    })),
    contents: toContents(read, content)
  };
}
function toContents(read, content) {
  return Object.entries(toObject(content)).map(([mediaType, value]) => {
    const media = read(value);
    const schema = media["schema"] ?? media["itemSchema"];
    return {
      mediaType,
      schema: schema === void 0 ? void 0 : toObject(schema),
      examples: listExamples(read, media)
    };
  });
}

// tools/internal/reference/dist/contract/schema.js
function describeBounds(schema) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const { minLength, maxLength, minItems, maxItems } = schema;
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  return [
    ...describeRange(exclusiveMinimum === true ? void 0 : minimum, exclusiveMaximum === true ? void 0 : maximum),
    ...typeof above === "number" ? [`above ${above}`] : [],
    ...typeof below === "number" ? [`below ${below}`] : [],
    ...describeRange(minLength, maxLength, " characters"),
    ...describeRange(minItems, maxItems, " items")
  ];
}
function describeRange(least, most, unit = "") {
  if (least !== void 0 && most !== void 0)
    return [least === most ? `${least}${unit}` : `${least} to ${most}${unit}`];
  if (least !== void 0)
    return [`at least ${least}${unit}`];
  return most === void 0 ? [] : [`at most ${most}${unit}`];
}

// tools/internal/reference/dist/page/describe-schema.js
var namedOptions = 8;
function listSchemas(list) {
  return toList(list);
}
function listOptions({ anyOf, oneOf }) {
  return listSchemas(anyOf ?? oneOf);
}
function describeType(schema, resolve, named = false, depth = 0) {
  if (acceptsNothing(schema))
    return "nothing";
  const name = readSchemaName(schema);
  if (name !== void 0 && named)
    return name;
  const describe = (one) => depth > 3 ? "anything" : describeType(one, resolve, named, depth + 1);
  if (schema.const !== void 0)
    return JSON.stringify(schema.const);
  const resolved = resolve(schema);
  const all = [resolved.type ?? []].flat();
  const types = all.filter((type) => type !== "null");
  const isNullable = resolved.nullable === true || types.length > 0 && all.includes("null");
  const orNull = isNullable ? " or null" : "";
  if (resolved.format === "binary")
    return "bytes";
  const options = listOptions(resolved);
  if (all.length === 0 && options.length > 0) {
    const names = [...new Set(options.map(describe))];
    const more = names.length > namedOptions ? [`${names.length - namedOptions} more`] : [];
    return `${[...names.slice(0, namedOptions), ...more].join(" or ")}${orNull}`;
  }
  const described = types.map((type) => {
    if (type === "array")
      return `list of ${describeItems(resolved, describe)}`;
    return type === "object" ? name ?? describeObject(resolved, describe) : type;
  });
  if (described.length > 0)
    return `${described.join(" or ")}${orNull}`;
  if (all.length > 0)
    return "null";
  const parts = [...new Set(listSchemas(resolved.allOf).map(describe))];
  const known = parts.filter((part) => part !== "anything");
  if (resolved.properties !== void 0 || known.length > 1)
    return `${name ?? describeObject(resolved, describe)}${orNull}`;
  if (known[0] !== void 0)
    return `${known[0]}${orNull}`;
  return resolved.enum === void 0 ? name ?? "anything" : `one of${orNull}`;
}
function describeItems({ prefixItems, items }, describe) {
  const first = listSchemas(prefixItems).map(describe);
  const others = items === void 0 ? "anything" : describe(items);
  if (first.length === 0)
    return others;
  const isClosed = items !== void 0 && acceptsNothing(items);
  return [...first, ...isClosed ? [] : [`then ${others}`]].join(", ");
}
function acceptsNothing(schema) {
  return schema === false;
}
function describeObject({ properties, additionalProperties: values }, describe) {
  return properties === void 0 && typeof values === "object" && values !== null ? `map of ${describe(values)}` : "object";
}
function describeLimits(schema, resolve, depth = 0) {
  const resolved = resolve(schema);
  const { pattern, format, contentEncoding, contentMediaType, multipleOf } = resolved;
  const parts = depth > 3 ? [] : listSchemas(resolved.allOf);
  const all = [
    ...[format === "binary" ? void 0 : format, contentEncoding, contentMediaType].flatMap((one) => one ?? []),
    ...describeBounds(resolved),
    ...multipleOf === void 0 ? [] : [`multiple of ${multipleOf}`],
    ...pattern === void 0 ? [] : [pattern],
    ...describeListLimits(resolved, resolve, depth),
    ...describeObjectLimits(resolved, resolve, depth),
    ...resolved.not === void 0 ? [] : [`not ${describeValue(resolved.not, resolve, depth)}`],
    ...parts.flatMap((part) => describeLimits(part, resolve, depth + 1))
  ];
  return [...new Set(all)];
}
function describeListLimits(schema, resolve, depth) {
  const { uniqueItems, contains, minContains, maxContains, items } = schema;
  const [count = ""] = describeRange(minContains ?? 1, maxContains);
  const each = items === void 0 || depth > 3 ? [] : describeLimits(items, resolve, depth + 1);
  return [
    ...uniqueItems === true ? ["no duplicates"] : [],
    ...contains === void 0 ? [] : [`contains ${count}: ${describeValue(contains, resolve, depth)}`],
    ...each.map((limit) => `each ${limit}`)
  ];
}
function describeObjectLimits(schema, resolve, depth) {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  const { minProperties, maxProperties, propertyNames, dependentRequired } = schema;
  const isClosed = acceptsNothing(additionalProperties) || acceptsNothing(unevaluatedProperties);
  const isMap = properties === void 0 && patternProperties === void 0;
  const others = isMap || typeof additionalProperties !== "object" ? [] : [additionalProperties];
  const value = (one) => describeValue(one, resolve, depth);
  return [
    ...describeRange(minProperties, maxProperties, " fields"),
    ...propertyNames === void 0 ? [] : [`names: ${value(propertyNames)}`],
    ...Object.entries(toObject(patternProperties)).map(([pattern, one]) => `names like ${pattern}: ${value(one)}`),
    ...others.map((one) => `other fields: ${value(one)}`),
    ...isClosed ? ["no other fields"] : [],
    ...Object.entries(toObject(dependentRequired)).map(([name, needed]) => `${name} needs ${toList(needed).join(", ")}`)
  ];
}
function describeValue(schema, resolve, depth) {
  if (typeof schema !== "object")
    return schema ? "anything" : "nothing";
  const values = toList(resolve(schema).enum).map((one) => JSON.stringify(one));
  const type = describeType(schema, resolve, false, depth);
  const limits = depth > 3 ? [] : describeLimits(schema, resolve, depth + 1);
  const words = values.length > 0 ? values.join(" or ") : type;
  return (words === "anything" && limits.length > 0 ? limits : [words, ...limits]).join(", ");
}

// tools/internal/reference/dist/page/prose.js
function Prose({ text }) {
  return a2("div", { dangerouslySetInnerHTML: { __html: renderMarkdown(text) } });
}
function inlineHtml(text) {
  return {
    __html: renderInline(replaceTags(text).trim().replaceAll(/\s*\n\s*/g, " "))
  };
}
function escapeHtml(text) {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
var bulletPattern = /^\s{0,3}(?:([-*+])|\d{1,9}[.)])\s+(.*)$/;
function renderMarkdown(text, headingLevel = 3) {
  const html = [];
  let paragraph = [];
  let list;
  let fence;
  const flush = () => {
    if (paragraph.length > 0)
      html.push(`<p>${renderInline(paragraph.join(" "))}</p>`);
    if (list)
      html.push(`<${list.tag}>${list.items.map((item) => `<li>${renderInline(item)}</li>`).join("")}</${list.tag}>`);
    paragraph = [];
    list = void 0;
  };
  const closeFence = () => {
    if (fence)
      html.push(`<pre tabindex="0" role="region" aria-label="Code"><code>${escapeHtml(fence.lines.join("\n"))}</code></pre>`);
    fence = void 0;
  };
  for (const line of replaceTags(text).split(/\r?\n/)) {
    const [, mark] = /^\s{0,3}(```+|~~~+)/.exec(line) ?? [];
    if (fence) {
      if (mark?.startsWith(fence.mark) && line.trim() === mark)
        closeFence();
      else
        fence.lines.push(line);
      continue;
    }
    const [, marks, heading] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
    const [, bullet, item] = bulletPattern.exec(line) ?? [];
    if (mark !== void 0) {
      flush();
      fence = { mark, lines: [] };
    } else if (line.trim() === "")
      flush();
    else if (heading !== void 0) {
      flush();
      const level = Math.min(6, headingLevel + (marks?.length ?? 2) - 2);
      html.push(`<h${level}>${renderInline(heading)}</h${level}>`);
    } else if (item !== void 0) {
      const tag = bullet === void 0 ? "ol" : "ul";
      if (list?.tag !== tag) {
        flush();
        list = { tag, items: [] };
      }
      list.items.push(item);
    } else if (list)
      list.items.push(`${list.items.pop() ?? ""} ${line.trim()}`);
    else
      paragraph.push(line.trim());
  }
  closeFence();
  flush();
  return html.join("\n");
}
var codePattern = /(`[^`]+`)/g;
function replaceTags(text) {
  if (!text.includes("<"))
    return text;
  return text.split(codePattern).map((part, index) => index % 2 === 1 ? part : replaceTagsOutside(part)).join("");
}
function replaceTagsOutside(text) {
  return text.replaceAll(/<\/?p>/gi, "\n\n").replaceAll(/<br\s{0,3}\/?>/gi, "\n").replaceAll(/<li>/gi, "\n- ").replaceAll(/<\/(?:ul|ol)>/gi, "\n\n").replaceAll(/<\/?(?:ul|ol|div|span)>|<\/li>/gi, "").replaceAll(/<\/?(?:strong|b)>/gi, "**").replaceAll(/<\/?(?:em|i)>/gi, "*").replaceAll(/<code>([^<`]*)<\/code>/gi, "`$1`").replaceAll(/<a [^<>]{0,100}?href="([^"<>]{1,2000})"[^<>]{0,100}>([^<]{1,500})<\/a>/gi, "[$2]($1)");
}
function renderInline(text) {
  const codes = [];
  const rest = text.replaceAll("\0", "").replaceAll(codePattern, (code) => {
    codes.push(`<code>${escapeHtml(code.slice(1, -1))}</code>`);
    return `\0${codes.length - 1}\0`;
  });
  return renderLinks(rest).replaceAll(/\0(\d+)\0/g, (_3, index) => codes[Number(index)] ?? "");
}
var linkPattern = /\[([^[\]]{1,500})\]\(([^()\s\0]{1,2000})\)/g;
function renderLinks(text) {
  let html = "";
  let end = 0;
  for (const match of text.matchAll(linkPattern)) {
    const [whole, label = "", address = ""] = match;
    if (!/^(?:https?:\/\/|mailto:)/i.test(address))
      continue;
    html += `${renderEmphasis(text.slice(end, match.index))}<a href="${escapeHtml(address)}" rel="noopener noreferrer nofollow">${renderEmphasis(label)}</a>`;
    end = match.index + whole.length;
  }
  return html + renderEmphasis(text.slice(end));
}
function renderEmphasis(text) {
  return escapeHtml(text).replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>").replaceAll(/(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g, "<em>$1</em>");
}

// tools/internal/reference/dist/page/fields.js
var shownValues = 12;
var longestLimit = 60;
var maxDepth = 8;
function Fields({ schema, ...rest }) {
  const required = new Set(toList(schema.required));
  return a2("ul", { class: "fields", children: Object.entries(schema.properties ?? {}).map(([name, field]) => a2(FieldItem, { name, schema: field, required: required.has(name), ...rest }, name)) });
}
function FieldItem({ name, schema, required, resolve, schemaHref, path = "", seen = [] }) {
  const field = resolve(schema);
  const deeper = [...seen, readSchemaName(findElement(schema, resolve).schema) ?? ""];
  const hides = (one) => {
    const name2 = readSchemaName(one) ?? readSchemaName(findElement(one, resolve).schema);
    return name2 !== void 0 && (seen.includes(name2) || schemaHref?.(name2) !== void 0);
  };
  const listed = seen.length < maxDepth;
  const findInside = (one) => hides(one) || !listed ? void 0 : findObject(one, resolve);
  const below = findInside(schema);
  const { suffix } = findElement(schema, resolve);
  const groups = listGroups(schema, resolve).map((group) => ({
    ...group,
    inside: findInside(group.schema)
  }));
  const all = { resolve, schemaHref, seen: deeper };
  return a2("li", { children: [a2("p", { class: "field", children: [a2("code", { class: "field-name", children: [path, a2("b", { children: name })] }), " ", a2(Type, { schema, resolve, schemaHref }), required && a2("span", { class: "required", children: "required" }), field.deprecated === true && a2("span", { class: "provisional", children: "deprecated" }), field.default !== void 0 && a2("span", { class: "note", children: ["default ", a2("code", { children: JSON.stringify(field.default) })] }), a2(Limits, { schema, resolve, longest: longestLimit }), field["x-provisional"] !== void 0 && field["x-provisional"] !== false && a2("span", { class: "provisional", children: "provisional" })] }), typeof field.description === "string" && a2("p", { dangerouslySetInnerHTML: inlineHtml(field.description) }), a2(Choices, { values: findChoices(schema, resolve) }), below !== void 0 && a2(Fields, { schema: below, path: `${path}${name}${suffix}.`, ...all }), groups.map(({ intro, title, inside }) => inside !== void 0 && a2("div", { class: "option", children: [a2("p", { children: [intro, " ", a2("b", { children: title }), ":"] }), a2(Fields, { schema: inside, path: `${path}${name}${suffix}.`, ...all })] }))] });
}
function Type({ schema, resolve, schemaHref }) {
  const names = schemaHref === void 0 ? [] : listNames(schema, resolve);
  const links = names.flatMap((name) => {
    const href = schemaHref?.(name);
    return href === void 0 ? [] : [{ name, href }];
  });
  const [only] = links;
  const text = describeType(schema, resolve, schemaHref !== void 0);
  if (only !== void 0 && links.length === 1 && text.endsWith(only.name))
    return a2("span", { class: "type", children: [text.slice(0, -only.name.length), a2("a", { href: only.href, children: only.name })] });
  return a2($, { children: [a2("span", { class: "type", children: text }), links.map(({ name, href }) => a2("a", { class: "type", href, children: name }))] });
}
function listNames(schema, resolve) {
  const name = readSchemaName(schema);
  if (name !== void 0)
    return [name];
  const { items, additionalProperties, allOf } = resolve(schema);
  const members = [
    ...listOptions(schema),
    ...listSchemas(allOf),
    ...items === void 0 ? [] : [items],
    ...typeof additionalProperties === "object" ? [additionalProperties] : []
  ];
  const found = members.flatMap((member) => {
    const own = readSchemaName(member);
    return own === void 0 ? listOptions(member).flatMap((one) => readSchemaName(one) ?? []) : own;
  });
  return [...new Set(found)].slice(0, shownValues);
}
function Limits({ schema, resolve, longest }) {
  return a2($, { children: describeLimits(schema, resolve).map((limit) => a2("span", { class: "note", children: limit.length > longest ? `${limit.slice(0, longest)}…` : limit })) });
}
function Choices({ values }) {
  if (values.length === 0)
    return null;
  const codes = (some) => some.map((value) => a2("code", { children: JSON.stringify(value) }));
  return a2("p", { class: "values", children: [codes(values.slice(0, shownValues)), values.length > shownValues && a2("details", { children: [a2("summary", { children: [values.length - shownValues, " more"] }), codes(values.slice(shownValues))] })] });
}
function findElement(schema, resolve, depth = 0) {
  const { items, properties, additionalProperties: values } = resolve(schema);
  const value = properties === void 0 && typeof values === "object" ? values : void 0;
  const inside = items ?? value;
  if (typeof inside !== "object" || depth > maxDepth)
    return { schema, suffix: "" };
  const found = findElement(inside, resolve, depth + 1);
  return { ...found, suffix: `${items === void 0 ? ".*" : "[]"}${found.suffix}` };
}
function listGroups(schema, resolve) {
  const element = resolve(findElement(schema, resolve).schema);
  const { properties, patternProperties, additionalProperties } = element;
  const patterns = Object.entries(toObject(patternProperties));
  const hasOwn = properties !== void 0 || patterns.length > 0;
  return [
    ...listOptions(element).map((option) => ({
      intro: "Either",
      title: readSchemaName(option) ?? "an object",
      schema: option
    })),
    ...patterns.map(([pattern, value]) => ({
      intro: "Fields like",
      title: pattern,
      schema: value
    })),
    ...hasOwn && typeof additionalProperties === "object" ? [{ title: "Other fields", schema: additionalProperties }] : []
  ];
}
function findChoices(schema, resolve) {
  const found = resolve(findElement(schema, resolve).schema);
  const parts = [found, ...listSchemas(found.allOf).map(resolve)];
  return parts.flatMap((part) => toList(part.enum));
}
function findObject(schema, resolve, depth = 0) {
  const resolved = resolve(schema);
  const parts = depth > maxDepth ? [] : listSchemas(resolved.allOf);
  const objects = parts.flatMap((part) => findObject(part, resolve, depth + 1) ?? []);
  const all = resolved.properties === void 0 ? objects : [...objects, resolved];
  if (all.length > 0)
    return {
      ...resolved,
      properties: Object.assign({}, ...all.map(({ properties }) => properties)),
      required: [...objects, resolved].flatMap(({ required }) => toList(required))
    };
  const element = findElement(schema, resolve).schema;
  return element === schema || depth > maxDepth ? void 0 : findObject(element, resolve, depth + 1);
}
function Body({ content: { schema, mediaType }, resolve, schemaHref, sameAs }) {
  return a2($, { children: [a2("p", { class: "media", children: [a2("code", { children: mediaType }), schema !== void 0 && a2($, { children: [a2(Type, { schema, resolve, schemaHref }), a2(Limits, { schema, resolve, longest: Infinity })] })] }), sameAs !== void 0 && a2("p", { children: ["The fields are those of ", a2("a", { href: sameAs.href, children: sameAs.status }), "."] }), sameAs === void 0 && schema !== void 0 && a2(SchemaFields, { schema, resolve, schemaHref })] });
}
function SchemaView({ schema, resolve, schemaHref }) {
  return a2($, { children: [a2("p", { class: "media", children: [a2(Type, { schema, resolve, schemaHref }), a2(Limits, { schema, resolve, longest: Infinity })] }), a2(SchemaFields, { schema, resolve, schemaHref })] });
}
function SchemaFields({ schema, resolve, schemaHref }) {
  const inside = findObject(schema, resolve);
  const name = readSchemaName(findElement(schema, resolve).schema) ?? "";
  const all = { resolve, schemaHref };
  return a2($, { children: [inside !== void 0 && a2(Fields, { schema: inside, seen: [name], ...all }), a2(Choices, { values: findChoices(schema, resolve) }), listGroups(schema, resolve).map(({ intro, title, schema: variant }) => {
    const object = findObject(variant, resolve);
    const own = readSchemaName(variant);
    const type = own ?? describeType(variant, resolve);
    return (object !== void 0 || inside === void 0) && a2("details", { class: "variant", children: [a2("summary", { children: intro === "Either" ? type : `${[intro, title].join(" ").trim()}: ${type}` }), object !== void 0 && a2(Fields, { schema: object, seen: [name, own ?? ""], ...all })] });
  })] });
}

// tools/internal/reference/dist/page/operation.js
function Endpoint({ method, path }) {
  return a2($, { children: [a2("span", { class: `method ${method.toLowerCase()}`, children: method }), " ", a2("code", { children: path })] });
}
function OperationDetails({ operation, resolve, data, samples, schemeNames = ourSchemeNames, schemaHref, level = 4 }) {
  const { record, description, provisional, deprecated, parameters, body, responses } = operation;
  const { id, priceUsd, idempotent } = record;
  const Heading = `h${level}`;
  return a2($, { children: [a2("div", { class: "columns", children: [a2("div", { children: [deprecated && a2("p", { class: "provisional", children: "This operation is deprecated: it may be removed." }), a2(Prose, { text: description }), a2("dl", { class: "facts", children: [Object.keys(schemeNames).length > 0 && a2(Fact, { term: "Who may call", children: describeCallers(operation, schemeNames) }), a2(Fact, { term: "Idempotent", children: idempotent ? "Yes" : "No: repeating a call repeats its effect" }), priceUsd !== void 0 && a2(Fact, { term: "Price", children: [priceUsd, " USD"] }), provisional !== false && a2(Fact, { term: "Provisional", children: "Parts of this follow public material and may still change" })] })] }), a2("div", { class: "fields-column", children: [Object.keys(parameters.properties ?? {}).length > 0 && a2($, { children: [a2(Heading, { children: "Parameters" }), a2(Fields, { schema: parameters, resolve, schemaHref })] }), body.length > 0 && a2(Heading, { children: "Body" }), body.map((content) => a2(Body, { content, resolve, schemaHref }))] }), a2("div", { class: "code-column", children: [(samples.length > 0 || body.some(({ examples }) => examples.length > 0)) && a2(Heading, { children: "Request" }), samples.map(({ label, code }, index) => a2("details", { name: `samples-${id}`, open: index === 0, children: [a2("summary", { children: label }), a2(Code, { text: code, label: `${label} sample` })] })), a2(Examples, { contents: body, most: 2 })] })] }), a2(Heading, { children: "Try it" }), a2("farebox-console", { children: a2("script", { type: "application/json", dangerouslySetInnerHTML: { __html: serialize(data) } }) }), a2(Heading, { children: "Responses" }), responses.map((response) => a2(ResponseRow, { response, responses, id, resolve, schemaHref, level }))] });
}
function serialize(data) {
  return JSON.stringify(data).replaceAll("<", String.raw`\u003c`);
}
function Fact({ term, children }) {
  return a2("div", { children: [a2("dt", { children: term }), a2("dd", { children })] });
}
var ourSchemeNames = {
  siwx: "a wallet (SIGN-IN-WITH-X)",
  BearerAuth: "an API key"
};
function describeCallers({ record: { security } }, names = ourSchemeNames) {
  return security.map((schemes) => schemes.length === 0 ? "anybody" : schemes.map((scheme) => names[scheme] ?? scheme).join(" and ")).join(", or ");
}
function ResponseRow({ response: { status, description, headers, contents }, responses, id, resolve, schemaHref, level }) {
  const Heading = level === 2 ? "h3" : "h5";
  const own = headers.filter(({ name }) => !/^x-ratelimit-/i.test(name));
  return a2("div", { class: "columns response", children: [a2("div", { children: [a2(Heading, { id: `${id}-${status}`, children: status }), a2(Prose, { text: description }), own.length > 0 && a2("ul", { class: "headers", children: own.map(({ name, description: about }) => a2("li", { children: [a2("code", { children: name }), " ", a2("span", { dangerouslySetInnerHTML: inlineHtml(about) })] })) })] }), a2("div", { class: "fields-column", children: contents.map((content) => {
    const same = firstWith(content.schema, responses);
    return a2(Body, { content, resolve, schemaHref, sameAs: same === void 0 || same === status ? void 0 : { status: same, href: `#${id}-${same}` } });
  }) }), a2("div", { class: "code-column", children: a2(Examples, { contents, most: 1 }) })] });
}
function firstWith(schema, responses) {
  const text = (one) => JSON.stringify(one ?? null);
  return responses.find(({ contents }) => contents.some((content) => text(content.schema) === text(schema)))?.status;
}
function Examples({ contents, most }) {
  const examples = contents.flatMap(({ examples: all }) => all.slice(0, most));
  return a2($, { children: examples.map(({ title, value }) => a2("figure", { children: [a2("figcaption", { children: title }), a2(Code, { text: typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "", label: title })] })) });
}
function Code({ text, label }) {
  return a2("pre", { tabIndex: 0, role: "region", "aria-label": label, children: a2("code", { children: text }) });
}

// tools/internal/reference/dist/contract/inline.js
var keptKeywords = [
  "type",
  "format",
  "const",
  "default",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems"
];
var keptLists = ["enum", "examples", "required"];
var maxSchemas = 1500;
var maxDepth2 = 12;
function inlineReferences(read, node) {
  let count = 0;
  const inline = (one, within) => {
    const ref = toText(toObject(one)["$ref"]);
    count++;
    if (count > maxSchemas || within.length > maxDepth2)
      return {};
    if (ref !== void 0 && within.includes(ref))
      return {};
    const deeper = [...within, ref ?? ""];
    const schema = read(one);
    const many = (list) => toList(list).map((member) => inline(member, deeper));
    const { properties, items, anyOf, oneOf, allOf, description, example } = schema;
    const own = {
      ...Object.fromEntries(keptKeywords.filter((name) => name in schema).map((name) => [name, schema[name]])),
      ...Object.fromEntries(keptLists.filter((name) => Array.isArray(schema[name])).map((name) => [name, schema[name]])),
      ...example !== void 0 && { examples: [example] },
      ...typeof description === "string" && { description: takeFirstSentence(description) },
      ...properties !== void 0 && {
        properties: Object.fromEntries(Object.entries(toObject(properties)).map(([name, value]) => [
          name,
          inline(value, deeper)
        ]))
      },
      ...items !== void 0 && { items: inline(items, deeper) },
      ...anyOf !== void 0 && { anyOf: many(anyOf) },
      ...oneOf !== void 0 && { oneOf: many(oneOf) }
    };
    return allOf === void 0 ? own : mergeAll([...many(allOf), own]);
  };
  return inline(node, []);
}
function mergeAll(parts) {
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  const required = [...new Set(parts.flatMap((part) => toList(part.required)))];
  const merged = Object.assign({}, ...parts);
  const hasFields = Object.keys(properties).length > 0;
  return {
    ...merged,
    ...hasFields && { properties },
    ...required.length > 0 && { required }
  };
}
function takeFirstSentence(text) {
  const [sentence = ""] = text.replaceAll("`", "").replaceAll(/\s+/g, " ").trim().split(/(?<=\.) /);
  return sentence;
}

// tools/internal/reference/dist/contract/operation-data.js
function fillRequired({ properties = {}, required = [] }) {
  return Object.fromEntries(required.flatMap((name) => {
    const example = findExample(properties[name]);
    return example === void 0 ? [] : [[name, example]];
  }));
}
function findExample(schema) {
  return schema?.examples?.[0];
}

// tools/internal/reference/dist/docs/describe-call.js
var places = ["path", "query", "header", "cookie"];
function describeCall(document2, read, { id, method, path }, access) {
  const { item, operation } = findOperation(document2, read, { path, method });
  const listed = listParameters(read, item, operation).filter(({ in: place }) => places.includes(String(place)));
  const parameters = listed.filter((one) => one["in"] !== "cookie").map((one) => toParameter(read, one));
  const examples = listed.map((parameter, index) => ({
    place: String(parameter["in"]),
    name: String(parameter["name"]),
    value: findParameterExample(read, parameter, parameters[index])
  }));
  const of = (place) => Object.fromEntries(examples.filter((one) => one.place === place && one.value !== void 0).map(({ name, value }) => [name, value]));
  const body = chooseBody(read, operation);
  return {
    id,
    method,
    path,
    credentials: [],
    access,
    pays: false,
    parameters,
    ...body && { body: { mediaType: body.mediaType, schema: body.schema } },
    example: {
      path: of("path"),
      query: of("query"),
      header: of("header"),
      ...body && { body: body.example }
    }
  };
}
function toParameter(read, parameter) {
  const { name, in: place, required, style, explode, schema, content } = parameter;
  const [media] = Object.values(toObject(content));
  return {
    name: String(name),
    in: place,
    required: required === true || place === "path",
    schema: inlineReferences(read, schema ?? toObject(media)["schema"]),
    ...typeof style === "string" && { style },
    ...media !== void 0 && { style: "json" },
    ...typeof explode === "boolean" && { explode }
  };
}
function findParameterExample(read, parameter, data) {
  if (parameter["required"] !== true)
    return void 0;
  const [example] = listExamples(read, parameter);
  return example?.value ?? (data && (findExample(data.schema) ?? data.schema.default));
}
function chooseBody(read, operation) {
  const contents = Object.entries(toObject(read(operation["requestBody"])["content"]));
  const chosen = contents.find(([mediaType2]) => /[/+]json\b/i.test(mediaType2)) ?? contents[0];
  if (chosen === void 0)
    return void 0;
  const [mediaType, media] = chosen;
  const [example] = listExamples(read, toObject(media));
  if (/[/+]json\b|form/i.test(mediaType)) {
    const schema = inlineReferences(read, toObject(media)["schema"]);
    const filled = schema.properties === void 0 ? void 0 : fillRequired(schema);
    return { mediaType, schema, example: example?.value ?? filled };
  }
  return /xml|yaml|^text\//i.test(mediaType) ? {
    mediaType,
    schema: { type: "string", contentMediaType: mediaType },
    example: toText(example?.value)
  } : { mediaType, schema: { format: "binary" }, example: void 0 };
}

// tools/internal/reference/dist/docs/file-names.js
var reserved = [
  "aux",
  "con",
  "nul",
  "prn",
  ...Array.from("123456789", (digit) => [`com${digit}`, `lpt${digit}`]).flat()
];
var namePattern = /^.{0,60}/u;
function createFileNames(names) {
  const takenNames = /* @__PURE__ */ new Set(["", ...reserved]);
  const counts = /* @__PURE__ */ new Map();
  return new Map(names.map((name) => {
    const [plain = ""] = namePattern.exec(name.replaceAll(/[^\p{L}\p{N}_-]+/gu, "-")) ?? [];
    let file = plain;
    let count = counts.get(plain) ?? 1;
    while (takenNames.has(file.toLowerCase()))
      file = `${plain}-${++count}`;
    counts.set(plain, count);
    takenNames.add(file.toLowerCase());
    return [name, file];
  }));
}

// tools/internal/reference/dist/docs/site.js
function* renderDocs(input, { script, style }) {
  const { document: document2, operations } = input;
  const read = createReader(document2);
  const schemas = toObject(toObject(document2["components"])["schemas"]);
  const operationFiles = createFileNames(operations.map(({ id }) => id));
  const schemaFiles = createFileNames(Object.keys(schemas));
  const site = { input, read, operationFiles, schemaFiles };
  yield { path: "reference.js", text: script };
  yield { path: "reference.css", text: style };
  yield { path: "index.html", text: renderPage(input.title, ".", a2(Index, { ...site })) };
  for (const [index, operation] of operations.entries())
    yield {
      path: `operations/${operationFiles.get(operation.id) ?? ""}.html`,
      text: renderPage(`${operation.summary ?? operation.id} · ${input.title}`, "..", a2(OperationPage, { operation, index, ...site }))
    };
  for (const [name, schema] of Object.entries(schemas))
    yield {
      path: `schemas/${schemaFiles.get(name) ?? ""}.html`,
      text: renderPage(`${name} · ${input.title}`, "..", a2(SchemaPage, { name, schema: toObject(schema), ...site }))
    };
}
var policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src blob:",
  "connect-src http: https:",
  "base-uri 'none'",
  "form-action 'none'"
].join("; ");
function renderPage(title, root, content) {
  const page = a2("html", { lang: "en", children: [a2("head", { children: [a2("meta", { charset: "utf-8" }), a2("meta", { "http-equiv": "Content-Security-Policy", content: policy }), a2("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }), a2("meta", { name: "referrer", content: "no-referrer" }), a2("meta", { name: "generator", content: "farebox-codegen" }), a2("title", { children: title }), a2("link", { rel: "icon", href: "data:," }), a2("link", { rel: "stylesheet", href: `${root}/reference.css` }), a2("script", { defer: true, src: `${root}/reference.js` })] }), a2("body", { children: content })] });
  return `<!doctype html>
${R(page)}
`;
}
var longDescription = 1200;
function Index({ input, operationFiles }) {
  const { title, version, description = "", operations } = input;
  const servers = [...new Set(operations.flatMap((operation) => operation.servers))];
  return a2($, { children: [a2("header", { children: [a2("h1", { children: title }), a2("p", { class: "soft", children: ["Version ", version, servers.slice(0, 3).map((server) => a2($, { children: [" ", "· ", a2("code", { children: server })] }))] })] }), a2("main", { children: [description !== "" && a2("details", { class: "about", open: description.length <= longDescription, children: [a2("summary", { children: "About this API" }), a2(Prose, { text: description })] }), a2("search", { hidden: true, children: [a2("label", { for: "filter", children: "Filter operations" }), a2("input", { id: "filter", type: "search", autocomplete: "off", spellcheck: false, "aria-describedby": "filter-status", "aria-keyshortcuts": "/" }), a2("p", { id: "filter-status", class: "soft", role: "status" })] }), groupByTag(operations).map(([tag, tagged]) => a2("section", { class: "tag", children: [a2("h2", { children: tag }), a2("ul", { children: tagged.map(({ id, method, path, summary, deprecated }) => a2("li", { "data-id": id, children: a2("a", { href: `operations/${encodeURIComponent(operationFiles.get(id) ?? "")}.html`, children: [a2("span", { class: `method ${method.toLowerCase()}`, children: method }), " ", a2("span", { class: "summary", children: summary ?? id }), " ", deprecated && a2("span", { class: "provisional", children: "deprecated " }), a2("span", { class: "path", children: path })] }) })) })] }))] }), a2(Footer, {})] });
}
function groupByTag(operations) {
  const groups = /* @__PURE__ */ new Map();
  for (const operation of operations) {
    const [tag = "Operations"] = operation.tags;
    const group = groups.get(tag);
    if (group === void 0)
      groups.set(tag, [operation]);
    else
      group.push(operation);
  }
  return [...groups];
}
function OperationPage({ operation, index, ...site }) {
  const { input, read, operationFiles } = site;
  const { document: document2, operations, schemes } = input;
  const { id, method, path, summary, tags } = operation;
  const shown = readOperation(document2, read, operation);
  const schemeNames = Object.fromEntries(schemes.map((scheme) => [scheme.name, nameScheme(scheme)]));
  const [tag] = tags;
  return a2($, { children: [a2("header", { children: [a2(Back, { title: input.title, within: tag }), a2("h1", { children: summary ?? id }), a2("p", { class: "endpoint", children: a2(Endpoint, { method, path }) })] }), a2("main", { "data-operation": id, children: a2(OperationDetails, { operation: shown, resolve: read, data: describeCall(document2, read, operation, describeAccess(operation, schemes)), samples: [], schemeNames, schemaHref: createSchemaHref(site, "../schemas/"), level: 2 }) }), a2("nav", { class: "others", "aria-label": "Other operations", children: [a2(Other, { label: "Previous", operation: operations[index - 1], files: operationFiles }), a2(Other, { label: "Next", operation: operations[index + 1], files: operationFiles })] }), a2(Footer, {})] });
}
function Other({ label, operation, files }) {
  if (operation === void 0)
    return a2("span", {});
  return a2("a", { href: `${encodeURIComponent(files.get(operation.id) ?? "")}.html`, children: [label, ": ", operation.summary ?? operation.id] });
}
function SchemaPage({ name, schema, ...site }) {
  const { input, read } = site;
  const { description } = read(schema);
  return a2($, { children: [a2("header", { children: [a2(Back, { title: input.title }), a2("h1", { children: name })] }), a2("main", { children: [typeof description === "string" && a2(Prose, { text: description }), a2(SchemaView, { schema, resolve: read, schemaHref: createSchemaHref(site, "") })] }), a2(Footer, {})] });
}
function createSchemaHref({ schemaFiles }, folder) {
  return (name) => {
    const file = schemaFiles.get(name);
    return file === void 0 ? void 0 : `${folder}${encodeURIComponent(file)}.html`;
  };
}
function Back({ title, within }) {
  return a2("p", { class: "soft", children: [a2("a", { href: "../index.html", children: title }), within !== void 0 && a2($, { children: [" / ", within] })] });
}
function Footer() {
  return a2("footer", { class: "soft", children: ["Generated from the OpenAPI document by ", a2("code", { children: "farebox-codegen" }), "."] });
}
var bearerToken = {
  name: "Bearer token",
  carrier: "bearer",
  parameter: "Authorization"
};
function describeAccess({ servers, security }, schemes) {
  if (schemes.length === 0)
    return { servers, alternatives: [[], [bearerToken]] };
  const known = new Map(schemes.flatMap((scheme) => toCarrier(scheme) ?? []).map((one) => [one.name, one]));
  return {
    servers,
    alternatives: security.map((names) => names.flatMap((name) => known.get(name) ?? []))
  };
}
function toCarrier({ name, kind, scheme, in: place, parameter, flows = {} }) {
  const authorization = "Authorization";
  if (kind === "apiKey" && place !== void 0 && parameter !== void 0)
    return { name, carrier: place, parameter };
  if (kind === "http" && scheme?.toLowerCase() === "basic")
    return { name, carrier: "basic", parameter: authorization };
  if (kind === "http" && scheme?.toLowerCase() !== "bearer")
    return { name, carrier: "header", parameter: authorization };
  if (kind === "http" || kind === "oauth2" || kind === "openIdConnect") {
    const oauth = describeOAuth(flows);
    return { name, carrier: "bearer", parameter: authorization, ...oauth && { oauth } };
  }
  return void 0;
}
function describeOAuth(flows) {
  const { authorizationCode, clientCredentials } = flows;
  const flow = authorizationCode ?? clientCredentials;
  if (flow === void 0)
    return void 0;
  const { tokenUrl = "" } = flow.urls;
  const { authorizationUrl = "" } = authorizationCode?.urls ?? {};
  if (!isAddress(tokenUrl))
    return void 0;
  return {
    tokenUrl,
    isForClients: clientCredentials !== void 0,
    scopes: Object.keys(flow.scopes),
    ...isAddress(authorizationUrl) && { authorizationUrl }
  };
}
function isAddress(url) {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}
function nameScheme({ name, kind, scheme, in: place, parameter }) {
  const how = {
    apiKey: `${place ?? ""} ${parameter ?? ""}`,
    http: `HTTP ${scheme ?? ""}`,
    oauth2: "OAuth 2.0",
    openIdConnect: "OpenID Connect",
    mutualTLS: "client certificate"
  }[kind];
  return `${name} (${how.trim()})`;
}

// <stdin>
var assets = { "script": '/* Generated from tools/internal/reference. Do not edit: run `pnpm generate` instead. Includes preact and preact-render-to-string, copyright Jason Miller, MIT. */\n"use strict";(()=>{var g,et,fn,L,Se,de,tt,ae,nt,Ae,je,rt,Q=Symbol.for("pv"),pe={},_e=[],dn=/^m(i|n|o|s|text|space)$/,Oe=Array.isArray,ot=_e.slice,W=Object.assign;function J(e){e&&e.parentNode&&e.remove()}function ue(e,t,n,r,i){var o={type:e,props:t,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Q,__v:i||++et,__i:-1,__u:0};return!i&&g.vnode&&g.vnode(o),o}function x(e){return e.children}function le(e,t){this.props=e,this.context=t,this.__g=0}function B(e,t){if(t==null)return e.__&&B(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:B(e)}function pn(e){var t,n=e.__v,r=n.__e,i=[],o=[],c=e.__P;c&&((t=W({constructor:Q},n)).__v=n.__v+1,g.vnode&&g.vnode(t),Te(c,t,n,e.__n,c.namespaceURI,32&n.__u?[r]:null,i,r||B(n),32&n.__u,o),t.__v=n.__v,t.__.__k[t.__i]=t,lt(i,t,o),n.__=n.__e=null,t.__e!=r&&it(t))}function it(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),it(e)}function Ce(e){(8&e.__g||(e.__g|=8,L.push(e),de++))&&Se==g.debounceRendering||((Se=g.debounceRendering)||queueMicrotask)(st)}function st(){try{for(var e,t=1;L.length;)L.length>t&&L.sort(tt),e=L.shift(),t=L.length,8&e.__g&&pn(e)}finally{(de=L.length)&&(Se||queueMicrotask)(st)}}function ct(e,t,n,r,i,o,c,s,f,d,u){var _,p,l,h,m,b,v=r.__k||_e,y=t.length;for(f=_n(n,t,v,f,y),_=0;_<y;_++)(l=n.__k[_])!=null&&(p=~l.__i&&v[l.__i]||pe,l.__i=_,b=Te(e,l,p,i,o,c,s,f,d,u),h=l.__e,(p.ref!=l.ref||8&p.__u)&&(p.ref&&Ee(p.ref,null,l,p),l.ref&&u.push(l.ref,l.__c||h,l)),m=m||h,4&l.__u?(f=at(l,f,e,!p.__v),p.__e&&(p.__e=null)):typeof l.type=="function"&&b!==void 0?f=b:h&&(f=h.nextSibling),l.__u&=-21);return n.__e=m,f}function _n(e,t,n,r,i){var o,c,s,f,d,u,_,p,l,h=n.length,m=h,b=0,v=0,y=e.__k=Array(i);for(o=0;o<i;o++)(c=t[o])!=null&&typeof c!="boolean"&&typeof c!="function"?(typeof c!="object"||c.constructor===String?c=y[o]=ue(null,c):Oe(c)?c=y[o]=ue(x,{children:c}):c.constructor===Q&&c.__b?c=y[o]=ue(c.type,c.props,c.key,c.ref,c.__v):y[o]=c,f=o+b,c.__=e,c.__b=e.__b+1,s=null,~(d=c.__i=hn(c,n,f,m))&&(m--,(s=n[d])&&(s.__u|=2)),s&&s.__v?(c.__u|=16,d==f-1?b--:d==f+1?b++:d!=f&&(d>f?b--:b++,v=1)):(~d||(i>h?b--:i<h&&b++),typeof c.type!="function"&&(c.__u|=4))):y[o]=null;if(v){for(u=[],_=[],o=0;o<i;o++)if((c=y[o])&&16&c.__u){for(b=0,p=u.length;b<p;)u[l=b+p>>1]<c.__i?b=l+1:p=l;u[b]=c.__i,_[o]=b+1}for(b=u.length;o--;)_[o]&&(_[o]==b?b--:y[o].__u|=4)}if(m)for(o=0;o<h;o++)!(s=n[o])||2&s.__u||(s.__e==r&&(r=B(s)),Pe(s,s));return r}function at(e,t,n,r){var i,o,c,s;if(typeof e.type=="function"){if(e.props.__P)return t;if(i=e.__k)for(o=0;o<i.length;o++)i[o]&&(i[o].__=e,t=at(i[o],t,n,!1));return t}for(t&&!t.parentNode&&(t=B(e))&&!t.parentNode&&(t=null),c=e.__e,s=t;s&&s.nodeType==8;)s=s.nextSibling;for(c!=s&&(!r&&n.moveBefore&&c.parentNode?n.moveBefore(c,t):n.insertBefore(c,t||null)),t=c;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function hn(e,t,n,r){var i,o=e.key,c=e.type,s=t[n],f=s&&!(2&s.__u);if(s===null&&o==null||f&&o==s.key&&c==s.type)return n;if(r>(f?1:0)){for(i=n-1;i>=0;i--)if((s=t[i])&&!(2&s.__u)&&o==s.key&&c==s.type)return i;for(i=n+1;i<t.length;i++)if((s=t[i])&&!(2&s.__u)&&o==s.key&&c==s.type)return i}return-1}function Qe(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function ce(e,t,n,r,i){var o,c;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof r=="string"&&(e.style.cssText=r=""),r)for(t in r)n&&t in n||Qe(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||Qe(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[t]=n,n&&r||(c=je[t]||(je[t]=mn(t)),(e.__a||(e.__a={}))[t]=Ae,o=t!=(t=t.replace(nt,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,c,o):e.removeEventListener(t,c,o));else{if(i=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function mn(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[ae]==null)t[ae]=Ae++;else if(t[ae]<this.__a[e])return;return n(g.event?g.event(t):t)}}}function Te(e,t,n,r,i,o,c,s,f,d){var u,_,p,l,h,m,b,v,y,C,$,F,Y,H,U,Z,q,R,I=t.type;if(t.constructor!==Q)return null;128&n.__u&&(f=32&n.__u,u=n.__c.__z)&&(t.__u|=f,_=o=[],u.nodeType==8?s=fe(u,o):o.push(u),s=o[0]||s),(u=g.__b)&&u(t);e:if(typeof I=="function"){p=c.length;try{if(v=t.props,y=(u=I.prototype)&&u.render,C=(u=I.contextType)&&r[u.__c],$=u?C?C.props.value:u.__:r,(l=n.__c)?(t.__c=l,2&l.__g&&(l.__g|=1)):(y?t.__c=l=new I(v,$):(t.__c=l=new le(v,$),l.constructor=I,l.render=yn),C&&C.sub(l),l.state||(l.state={}),l.__n=r,l.__g|=8,l.__h=[],l.__k=[]),y&&(l.__s||(l.__s=l.state),I.getDerivedStateFromProps&&(l.__s==l.state&&(l.__s=W({},l.__s)),W(l.__s,I.getDerivedStateFromProps(v,l.__s)))),h=l.props,m=l.state,l.__v=t,n.__c){if(v!==h&&y&&!I.getDerivedStateFromProps&&l.componentWillReceiveProps&&l.componentWillReceiveProps(v,$),t.__v==n.__v&&!(8&l.__g)||!(4&l.__g)&&l.shouldComponentUpdate&&l.shouldComponentUpdate(v,l.__s,$)===!1){t.__v!=n.__v&&(l.props=v,l.state=l.__s,l.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(O){O&&(O.__=t)}),_e.push.apply(l.__h,l.__k),l.__k=[],l.__h.length&&c.push(l),s=B(n);break e}l.componentWillUpdate&&l.componentWillUpdate(v,l.__s,$),y&&l.componentDidUpdate&&l.__h.push(function(){l.componentDidUpdate(h,m,b)})}else y&&!I.getDerivedStateFromProps&&l.componentWillMount&&l.componentWillMount(),y&&l.componentDidMount&&l.__h.push(l.componentDidMount);l.context=$,l.props=v,l.__P=e,l.__g&=-5,F=g.__r,Y=y?25:0;do l.__g&=-9,F&&F(t),u=l.render(l.props,l.state=l.__s,l.context);while(8&l.__g&&++Y<25);y&&(_e.push.apply(l.__h,l.__k),l.__k=[]),l.state=l.__s,l.getChildContext&&(r=W({},r,l.getChildContext())),y&&n.__c&&l.getSnapshotBeforeUpdate&&(b=l.getSnapshotBeforeUpdate(h,m)),H=u&&u.type===x&&u.key==null?u.props.children:u,v.__P&&(u=s,i=(e=v.__P).namespaceURI,f=o=null,n.props&&n.props.__P!=e&&(n.__k.some(function(O){O&&Pe(O,O)}),n.__k=null),s=n.__k?B(n,0):null),s=ct(e,Oe(H)?H:[H],t,n,r,i,o,c,s,f,d),v.__P&&(t.__e=null,s=u),t.__u&=-161,_&&_.some(J),l.__h.length&&c.push(l),1&l.__g&&(l.__g&=-4)}catch(O){if(c.length=p,t.__v=null,f||o)if(O&&O.then){if(t.__u|=128|f,o){for(~(q=o.indexOf(s||void 0))||(q=o.length);(R=o[q-1])&&R.nodeType==8;)q--;for(;q<o.length;q++)if(R=o[q])if(o[q]=null,U){if(R==Z)break}else{if(R.nodeType!=8)break;R.data.startsWith("$s")&&(Z=fe(U=R))}}if(!U){for(;s&&s.nodeType==8&&s.nextSibling;)s=s.nextSibling;U=s}(u=fe(U=t.__c.__z||(t.__c.__z=U)))?(t.__e=U,s=u):t.__e=s,s=s&&s.nextSibling}else o&&o.some(J);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),O&&O.then||ut(t),g.__e(O,t,n)}}else s=t.__e=bn(n.__e,t,n,r,i,o,c,f,d,e);return(u=g.diffed)&&u(t),s}function fe(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function ut(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(ut))}function lt(e,t,n){for(var r=0;r<n.length;)Ee(n[r++],n[r++],n[r++]);g.__c&&g.__c(t,e),e.some(function(i){try{e=i.__h,i.__h=[],e.some(function(o){o.call(i)})}catch(o){g.__e(o,i.__v)}})}function bn(e,t,n,r,i,o,c,s,f,d){var u,_,p,l,h,m,b,v,y=n.props||pe,C=t.props,$=t.type;if($=="svg"?i="http://www.w3.org/2000/svg":$=="math"?i="http://www.w3.org/1998/Math/MathML":i||(i="http://www.w3.org/1999/xhtml"),o){for(u=0;u<o.length;u++)if((h=o[u])&&($?h.localName==$:h.nodeType==3)){e=h,o[u]=null;break}}if(!e){if(v=d.ownerDocument||document,!$)return v.createTextNode(C);e=v.createElementNS(i,$,C.is?C:d),s&&(g.__m&&g.__m(t,o),s=!1),o=null}if($){if(d=$=="template"&&e.content||e,o=$=="textarea"&&C.defaultValue!=null?null:o&&ot.call(d.childNodes),!s&&o)for(y={},u=0;u<e.attributes.length;u++)y[(h=e.attributes[u]).name]=h.value;for(u in y)h=y[u],u=="dangerouslySetInnerHTML"?p=h:u=="children"||u in C||u=="value"&&"defaultValue"in C||u=="checked"&&"defaultChecked"in C||ce(e,u,null,h,i);for(u in C)h=C[u],u=="children"?l=h:u=="dangerouslySetInnerHTML"?_=h:u=="value"?m=h:u=="checked"?b=h:s&&typeof h!="function"||y[u]===h||ce(e,u,h,y[u],i);_?(s||p&&(_.__html==p.__html||_.__html==e.innerHTML)||(e.innerHTML=_.__html),t.__k=[]):(p&&(e.textContent=""),($=="foreignObject"||i=="http://www.w3.org/1998/Math/MathML"&&dn.test($))&&(i="http://www.w3.org/1999/xhtml"),ct(d,Oe(l)?l:[l],t,n,r,i,o,c,o?o[0]:n.__k&&B(n,0),s,f),o&&o.some(J)),s&&$!="textarea"||(u="value",$=="progress"&&m==null?e.removeAttribute(u):m==null||m===e[u]&&($!="progress"||m)||ce(e,u,m,y[u],i),u="checked",b!=null&&b!=e[u]&&ce(e,u,b,y[u],i))}else y===C||s&&e.data==C||(e.data=C);return e}function Ee(e,t,n,r){try{typeof e=="function"?t?t.__x=e(t)||1:r&&(r=r.__c||r.__e)&&(t=r.__x)&&(r.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(i){g.__e(i,n)}}function Pe(e,t,n){var r,i,o,c;if(g.unmount&&g.unmount(e),!(r=e.ref)||r.current&&r.current!=e.__e||Ee(r,null,t,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(s){g.__e(s,t)}r.__P=r.__n=null}if(r=e.__k)for(c=0;c<r.length;c++)r[c]&&Pe(r[c],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(r=e.__c)&&(r=r.__z)&&(i=fe(r,o=[]))&&(r==e.__e&&o.some(J),J(i),J(r)),n||J(e.__e),e.__e=e.__c=e.__=null}function yn(e,t,n){return this.constructor(e,n)}function Re(e,t){var n,r,i,o;g.__&&g.__(e,t),t.nodeType==9&&(t=t.documentElement),r=(n=e&&32&e.__u)?null:t.__k,t.__k=ue(x,{children:[e]}),i=[],o=[],Te(t,t.__k,r||pe,pe,t.namespaceURI,r?null:t.firstChild?ot.call(t.childNodes):null,i,r?r.__e:t.firstChild,n,o),lt(i,t.__k,o),t.__k.props.children=null}function ft(e){function t(n){var r,i;return this.getChildContext||(r=new Set,(i={})[t.__c]=this,this.getChildContext=function(){return i},this.shouldComponentUpdate=function(o){this.props.value!=o.value&&r.forEach(function(c){c.__g|=4,Ce(c)})},this.sub=function(o){r.add(o);var c=o.componentWillUnmount;o.componentWillUnmount=function(){r.delete(o),c&&c.call(o)}}),n.children}return t.__c="__cC"+rt++,t.__=e,t.Provider=(t.Consumer=function(n,r){return n.children(r)}).contextType=t,t}g={__e:function(e,t,n,r){for(var i,o,c;t=t.__;)if((i=t.__c)&&!(1&i.__g)){i.__g|=4;try{if((c=(o=i.constructor)&&o.getDerivedStateFromError)&&i.setState(o.getDerivedStateFromError(e)),i.componentDidCatch&&(i.componentDidCatch(e,r||{}),c=1),c&&8&i.__g)return void(i.__g|=2)}catch(s){e=s}}throw de=0,e}},et=0,fn=function(e){return e!=null&&e.constructor===Q},le.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=W({},this.state)),typeof e=="function"&&(e=e(W({},n),this.props)),e&&(W(n,e),this.__v&&(t&&this.__k.push(t),Ce(this)))},le.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Ce(this))},le.prototype.render=x,L=[],de=0,tt=function(e,t){return e.__v.__b-t.__v.__b},ae=Symbol(),nt=/(PointerCapture)$|Capture$/i,Ae=0,je={},rt=0;var V,S,Ie,dt,Ue=Object.is,he=0,wt=[],qe=[],j=g,pt=j.__b,_t=j.__r,ht=j.diffed,mt=j.__c,bt=j.unmount,yt=j.__;function te(e,t){j.__h&&j.__h(S,e,he||t),he=0;var n=S.__H||(S.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function w(e){return he=1,gn(kt,e)}function gn(e,t,n){var r=te(V++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):kt(void 0,t),function(o){var c=(r.__N||r.__)[0],s=r.t(c,o);Ue(c,s)||(r.__N=[s,r.__[1]],r.__c.setState({}))}],r.__c=S,!S.__f)){S.__f=!0;var i=S.shouldComponentUpdate;S.shouldComponentUpdate=function(o,c,s){var f=this.__H;if(!f)return!0;var d=!1,u=this.props!=o;if(f.__.some(function(p){p.__N&&(d=!0,Ue(p.__[0],p.__N[0])||(u=!0))}),i){var _=i.call(this,o,c,s);return d?_||u:_}return!d||u}}return r.__}function M(e,t){var n=te(V++,3);!j.__s&&Ne(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,S.__H.__h.push(n))}function $t(e,t){var n=te(V++,4);!j.__s&&Ne(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,S.__h.push(n))}function me(e){return he=5,vn(function(){return{current:e}},[])}function vn(e,t){var n=te(V++,7);return Ne(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function z(e){var t=S.context[e.__c],n=te(V++,9);return n.c=e,t?(n.__==null&&(n.__=!0,t.sub(S)),t.props.value):e.__}function wn(){var e;do{for(;e=qe.shift();)try{ee(e)}catch(n){j.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=wt.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(ee),t.__h.some(Fe),t.__h=[]}catch(n){t.__h=[],j.__e(n,e.__v)}}}while(qe.length)}j.__b=function(e){S=null,pt&&pt(e)},j.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),yt&&yt(e,t)},j.__r=function(e){_t&&_t(e),V=0;var t=(S=e.__c).__H;t&&(Ie==S?S.__h=[]:(t.__h.some(ee),t.__h.some(Fe),V=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Ie=S},j.diffed=function(e){ht&&ht(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&vt(wt.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Ie=S=null},j.__c=function(e,t){t.some(function(n){try{n.__h.some(ee),n.__h=n.__h.filter(function(r){return!r.__||Fe(r)})}catch(r){n.__h=[function(){throw r}]}}),mt&&mt(e,t)},j.unmount=function(e){bt&&bt(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(i){try{if(i.__P&&i.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}i.__P=n,vt(qe.push(i))}else ee(i)}catch(o){t=o}}),r.__H=void 0,t&&j.__e(t,r.__v))};var gt=typeof requestAnimationFrame=="function";function $n(e){var t,n=function(){clearTimeout(r),gt&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);gt&&(t=requestAnimationFrame(n))}function vt(e){e!=1&&dt==j.requestAnimationFrame||((dt=j.requestAnimationFrame)||$n)(wn)}function ee(e){var t=S,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),S=t}function Fe(e){var t=S;e.__c=e.__(),S=t}function Ne(e,t){return!e||e.length!=t.length||t.some(function(n,r){return!Ue(n,e[r])})}function kt(e,t){return typeof t=="function"?t(e):t}function Le({service:e}){return new URL(e).origin}function ne(e){return e.map(({name:t})=>t).join(" + ")}function re({access:e},{alternative:t}){let{alternatives:n=[]}=e??{};return n.find(r=>ne(r)===t)??n[0]??[]}function Be({access:e},t){return e===void 0?`${Le(t)}/api/v1`:new URL(t.service,globalThis.location?.href).href.replace(/\\/+$/,"")}function xt(e,t,n="farebox-session"){let r=xn(t.getItem(n)),i={service:e,access:"wallet",key:"",secrets:{},remembered:{},...r,keep:r!==void 0},o=new Set;return{get:()=>i,update:c=>{let s=i.keep;i={...i,...c},i.keep?t.setItem(n,kn(i)):s&&t.removeItem(n);for(let f of o)f()},subscribe:c=>(o.add(c),()=>{o.delete(c)})}}function kn(e){let{service:t,access:n,key:r,secrets:i,alternative:o,walletKey:c,remembered:s}=e;return JSON.stringify({service:t,access:n,key:r,secrets:i,alternative:o,walletKey:c,remembered:s})}function xn(e){try{return e===null?void 0:JSON.parse(e)}catch{return}}function St(e){let t=typeof e=="object"&&e!==null?e:{},{queue_id:n,model:r}=t;return typeof n=="string"?{queue_id:n,...typeof r=="string"&&{model:r}}:{}}function be({parameters:e,body:t},n,r){let i=t?.schema.properties??{},o=d=>e.find(u=>u.name===d),c=Object.keys(r).filter(d=>d in i&&(d!=="model"||"queue_id"in i)),s=Object.fromEntries(c.map(d=>[d,r[d]])),f=Object.fromEntries(Object.entries(r).filter(([d])=>o(d)?.in==="path"));return{...n,path:{...n.path,...f},...c.length>0&&{body:{...n.body,...s}}}}function X(e){let[t,n]=w(e.get);return M(()=>(n(e.get()),e.subscribe(()=>n(e.get()))),[e]),t}function jt({parameters:e,body:t},n){let r=s=>s===void 0||s==="",i=e.filter(({required:s,in:f,name:d})=>s&&r(n[f]?.[d])).map(({in:s,name:f})=>`${s}.${f}`),o=n.body??{},c=(t?.schema.properties===void 0?[]:t.schema.required??[]).filter(s=>r(o[s])).map(s=>`body.${s}`);return Object.fromEntries([...i,...c].map(s=>[s,"Required"]))}var Sn=Symbol.for("pv"),jn=0;function a(e,t,n,r,i,o){t||(t={});var c,s,f=t;if("ref"in f&&typeof e!="function")for(s in f={},t)s=="ref"?c=t[s]:f[s]=t[s];var d={type:e,props:f,key:n,ref:c,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Sn,__v:--jn,__i:-1,__u:0};return(i||o)&&(d.__source=i,d.__self=o),g.vnode&&g.vnode(d),d}function K(e){let t=e.anyOf??e.oneOf;return t!==void 0?{kind:"union",options:t}:Array.isArray(e.type)?{kind:"union",options:e.type.map(n=>({...e,type:n}))}:e.const!==void 0?{kind:"choice",values:[e.const]}:e.enum!==void 0?{kind:"choice",values:e.enum}:e.format==="binary"?{kind:"file"}:e.type==="string"?{kind:"text",long:(e.maxLength??0)>200||e.contentMediaType!==void 0}:e.type==="number"||e.type==="integer"?{kind:"number",integer:e.type==="integer"}:e.type==="boolean"?{kind:"flag"}:e.type==="array"?{kind:"list",items:e.items??{}}:e.type==="null"?{kind:"nothing"}:e.properties===void 0?{kind:"any"}:{kind:"object",properties:e.properties,required:new Set(e.required)}}function ye(e){let t=K(e);return t.kind==="choice"?t.values.length===1?JSON.stringify(t.values[0]):"one of a list":t.kind==="list"?`list of ${ye(t.items)}`:t.kind==="nothing"?"null":t.kind==="union"?t.options.map(ye).join(" or "):t.kind==="any"?"JSON":t.kind}function Ct(e){let{minimum:t,maximum:n,exclusiveMinimum:r,exclusiveMaximum:i}=e,{minLength:o,maxLength:c,minItems:s,maxItems:f}=e,d=r===!0?t:r,u=i===!0?n:i;return[...Me(r===!0?void 0:t,i===!0?void 0:n),...typeof d=="number"?[`above ${d}`]:[],...typeof u=="number"?[`below ${u}`]:[],...Me(o,c," characters"),...Me(s,f," items")]}function Me(e,t,n=""){return e!==void 0&&t!==void 0?[e===t?`${e}${n}`:`${e} to ${t}${n}`]:e!==void 0?[`at least ${e}${n}`]:t===void 0?[]:[`at most ${t}${n}`]}function oe(e){let t=K(e);if(e.default!==void 0)return e.default;if(t.kind==="choice")return t.values[0];if(t.kind==="list")return[];if(t.kind==="flag")return!1;if(t.kind==="text")return"";if(t.kind==="nothing")return null;if(t.kind==="union")return t.options[0]===void 0?void 0:oe(t.options[0]);if(t.kind!=="object")return;let{properties:n,required:r}=t;return Object.fromEntries([...r].map(i=>[i,oe(n[i]??{})]))}function At(e,t){let n=e.findIndex(r=>Ot(r,t));return Math.max(0,n)}function Ot(e,t){let n=K(e);return n.kind==="choice"?n.values.includes(t):n.kind==="text"?typeof t=="string":n.kind==="number"?typeof t=="number":n.kind==="flag"?typeof t=="boolean":n.kind==="list"?Array.isArray(t):n.kind==="nothing"?t===null:n.kind==="file"?t instanceof Blob:n.kind==="union"?n.options.some(r=>Ot(r,t)):typeof t=="object"&&t!==null&&!Array.isArray(t)}function T(e){return typeof e=="string"?e:JSON.stringify(e)??""}var Cn={spaceDelimited:" ",pipeDelimited:"|"};function ge({name:e,style:t="form",explode:n=t==="form"},r){if(r===void 0)return[];if(t==="json")return[[e,JSON.stringify(r)]];if(Array.isArray(r)){let o=r.map(T);return t==="deepObject"?o.map((c,s)=>[`${e}[${s}]`,c]):n?o.map(c=>[e,c]):[[e,o.join(Cn[t]??",")]]}if(typeof r!="object"||r===null)return[[e,T(r)]];let i=Object.entries(r).filter(([,o])=>o!==void 0);return t==="deepObject"?i.flatMap(([o,c])=>ge({name:`${e}[${o}]`,style:t},c)):n?i.map(([o,c])=>[o,T(c)]):[[e,i.flatMap(([o,c])=>[o,T(c)]).join(",")]]}function De(e,t){return Array.isArray(e)?e.map(n=>t(T(n))).join(","):typeof e!="object"||e===null?t(T(e??"")):Object.entries(e).flatMap(([n,r])=>[t(n),t(T(r))]).join(",")}var An=12;function Tt({shape:e,schema:t,value:n,required:r,labelled:i,onChange:o}){let c=n==null?"":T(n),s=t.default===void 0?"":T(t.default),f=u=>o(u===""?void 0:u);if(e.kind==="choice"&&e.values.length>An){let u=`${i.id}-choices`;return a(x,{children:[a("input",{...i,list:u,value:c,placeholder:s===""?`one of ${e.values.length}`:s,spellcheck:!1,onInput:({currentTarget:{value:_}})=>f(e.values.find(p=>String(p)===_)??_)}),a("datalist",{id:u,children:e.values.map(_=>a("option",{value:String(_)}))})]})}if(e.kind==="choice"||e.kind==="flag"){let u=e.kind==="flag"?[!0,!1]:e.values;return a("select",{...i,value:c,onChange:_=>o(u.find(p=>String(p)===_.currentTarget.value)),children:[!(r&&n!==void 0)&&a("option",{value:"",children:s===""?"(left out)":`(default ${s})`}),u.map(_=>a("option",{value:String(_),children:String(_)}))]})}if(e.kind==="number"){let{minimum:u,maximum:_}=t,p={...u!==void 0&&{min:u},..._!==void 0&&{max:_}},l=h=>o(h===""?void 0:Number(h));return a("input",{...i,...p,type:"number",step:e.integer?1:"any",value:c,placeholder:s,onInput:h=>l(h.currentTarget.value)})}if(e.kind==="file")return a("input",{...i,type:"file",onChange:u=>o(u.currentTarget.files?.[0])});if(e.kind==="nothing")return a("input",{...i,value:"null",readOnly:!0});if(e.kind!=="text")return a(He,{labelled:i,value:n,rows:3,onChange:o});let d={...i,value:c,placeholder:s,spellcheck:!1};return e.long?a("textarea",{...d,rows:2,onInput:u=>f(u.currentTarget.value)}):a("input",{...d,onInput:u=>f(u.currentTarget.value)})}function He({labelled:e,value:t,rows:n,onChange:r}){let i=JSON.stringify(t,null,2)??"",[o,c]=w(i),[s,f]=w();M(()=>{i!==On(o)&&(c(i),f(void 0))},[i]);let d=_=>{c(_);try{r(_.trim()===""?void 0:JSON.parse(_)),f(void 0)}catch(p){f(p instanceof Error?p.message:String(p))}},u=`${e.id}-json`;return a(x,{children:[a("textarea",{...e,"aria-describedby":`${e["aria-describedby"]??""} ${u}`.trim(),"aria-invalid":s!==void 0,rows:n,spellcheck:!1,value:o,onInput:_=>d(_.currentTarget.value)}),a("p",{id:u,class:"fbr-problem",role:"status",children:s!==void 0&&`Not JSON yet: ${s}`})]})}function On(e){try{return JSON.stringify(JSON.parse(e),null,2)}catch{return}}function G(e){let{name:t,at:n,schema:r,required:i,problems:o,suffix:c=""}=e,s=K(r),f=`${z(D)}-${n.replaceAll(/[^\\w-]/g,"-")}${c}`,d=o[n],u=`${f}-told`,_={id:f,"aria-describedby":u,"aria-invalid":d!==void 0},p=s.kind==="object"||s.kind==="list"||s.kind==="union",l=a("div",{id:u,class:"fbr-told",children:[d!==void 0&&a("p",{class:"fbr-problem",children:d}),r.description!==void 0&&a("p",{class:"fbr-hint",children:r.description})]}),h=a(x,{children:[t,i&&a("span",{class:"fbr-required",children:" required"}),a("span",{class:"fbr-bounds",children:[" ",Ct(r).join(", ")]})]});return p?a("fieldset",{class:"fbr-field","aria-describedby":u,"aria-invalid":d!==void 0,id:f,tabIndex:-1,children:[a("legend",{children:h}),l,s.kind==="object"&&a(Je,{...e,shape:s}),s.kind==="list"&&a(Tn,{...e,id:f,shape:s}),s.kind==="union"&&a(En,{...e,id:f,shape:s})]}):a("div",{class:"fbr-field",children:[a("label",{for:f,children:h}),a(Tt,{...e,shape:s,labelled:_}),l]})}function Je({at:e,shape:t,value:n,problems:r,onChange:i}){let o=n??{},[c]=w(()=>new Set(Object.keys(o))),s=Object.keys(t.properties),f=p=>t.required.has(p)||c.has(p)||s.length<=4,d=p=>a(G,{name:p,at:`${e}.${p}`,schema:t.properties[p]??{},required:t.required.has(p),value:o[p],problems:r,onChange:l=>i(Rn(o,p,l))},p),u=s.filter(p=>!f(p)),_=u.some(p=>Object.keys(r).some(l=>`${l}.`.startsWith(`${e}.${p}.`)));return a(x,{children:[s.filter(f).map(d),u.length>0&&a("details",{open:_,children:[a("summary",{children:[u.length," more fields"]}),u.map(d)]})]})}function Tn({at:e,shape:t,schema:n,value:r,problems:i,onChange:o,name:c}){let s=Array.isArray(r)?r:[],f=d=>s.filter((u,_)=>_!==d);return a(x,{children:[s.map((d,u)=>a("div",{class:"fbr-item",children:[a(G,{name:`${c} ${u+1}`,at:`${e}.${u}`,schema:t.items,required:!0,value:d,problems:i,onChange:_=>o(s.with(u,_))}),a("button",{type:"button",class:"fbr-small",onClick:()=>o(s.length===1?void 0:f(u)),children:["Remove ",c," ",u+1]})]},u)),s.length<(n.maxItems??1/0)&&a("button",{type:"button",class:"fbr-small",onClick:()=>o([...s,oe(t.items)]),children:["Add to ",c]})]})}function En({at:e,shape:t,value:n,required:r,problems:i,onChange:o,name:c,id:s}){let[f,d]=w(()=>At(t.options,n)),u=t.options[f]??{};return a(x,{children:[a("label",{class:"fbr-as",children:[a("span",{children:[c," as"]}),a("select",{id:`${s}-as`,value:String(f),onChange:_=>{d(Number(_.currentTarget.value)),o(r?oe(t.options[Number(_.currentTarget.value)]??{}):void 0)},children:t.options.map((_,p)=>a("option",{value:String(p),children:ye(_)}))})]}),a(G,{name:c,at:e,suffix:`-as-${f}`,schema:u,required:r,value:n,problems:{},onChange:o},f),a(Pn,{problems:i,at:e})]})}function Pn({problems:e,at:t}){return Object.entries(e).filter(([r])=>r.startsWith(`${t}.`)).map(([r,i])=>a("p",{class:"fbr-problem",children:[r.slice(t.length+1),": ",i]}))}function Rn(e,t,n){let{[t]:r,...i}=e;return n===void 0?i:{...e,[t]:n}}var D=ft("field");function Et({operation:{parameters:e,body:t},values:n,problems:r,onChange:i}){let o=`${z(D)}-json`,c=t&&K(t.schema),s=t?.mediaType==="application/json",f=d=>i({...n,body:d});return a(x,{children:[e.length>0&&a("div",{class:"fbr-fields",children:e.map(({name:d,in:u,schema:_,required:p})=>a(G,{name:d,at:`${u}.${d}`,schema:_,required:p,value:n[u]?.[d],problems:r,onChange:l=>i({...n,[u]:{...n[u],[d]:l}})},d))}),t!==void 0&&a("div",{class:s?"fbr-body fbr-beside":"fbr-body",children:[a("div",{class:"fbr-fields",role:"group","aria-label":"Fields of the body",children:[r.body!==void 0&&a("p",{class:"fbr-problem",children:r.body}),c?.kind==="object"?a(Je,{at:"body",shape:c,value:n.body,problems:r,onChange:f}):a(G,{name:"body",at:"body",schema:t.schema,required:!0,value:n.body,problems:r,onChange:f})]}),s&&a("div",{class:"fbr-field",children:[a("label",{for:o,children:"Body as JSON"}),a(He,{labelled:{id:o},value:n.body,rows:10,onChange:f})]})]})]})}function ve({headers:e}){let t=e.get("content-type")??"";return/^text\\/event-stream|^application\\/(?:jsonl|x-ndjson|json-seq)/.test(t)}function Pt({response:{status:e,text:t,ms:n,blob:r,type:i}}){return a(x,{children:[a("p",{children:[e," ",Math.round(n)," ms, ",r.size," bytes"]}),/^(?:audio|video)\\//.test(i)?a(In,{blob:r,type:i}):a("pre",{tabIndex:0,role:"region","aria-label":"Response body",children:t})]})}function In({blob:e,type:t}){let[n,r]=w("");return M(()=>{let i=URL.createObjectURL(new Blob([e],{type:t}));return r(i),()=>URL.revokeObjectURL(i)},[e,t]),n===""?null:t.startsWith("audio")?a("audio",{controls:!0,src:n}):a("video",{controls:!0,src:n})}async function Rt(e,t,n){let{status:r}=e,i=e.headers.get("content-type")??"";if(ve(e)){let s=[],f=new TextDecoder,d="",u=()=>({status:r,text:d,ms:t,blob:new Blob(s),type:i}),_=e.body?.getReader();for(let p=await _?.read();p?.value!==void 0;p=await _?.read())s.push(p.value),d+=f.decode(p.value,{stream:!0}),n(u());return u()}let o=await e.blob(),c=/^(?:audio|video)\\//.test(i)?"":await o.text();return{status:r,text:Un(c),ms:t,blob:o,type:i}}function Un(e){try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}}function It(e,t,n){let r=new URL(e.url),i={...e.headers};for(let{name:c,carrier:s,parameter:f}of t){let d=n[c]??"";s==="query"?d!==""&&r.searchParams.set(f,d):s!=="cookie"&&d!==""&&(i[f]={bearer:`Bearer ${d}`,basic:`Basic ${qt(d)}`,header:d}[s])}let o=t.some(({carrier:c})=>c==="cookie");return{...e,url:r.href,headers:i,...o&&{credentials:"include"}}}function Ut(e,t){return e.flatMap(({name:n,carrier:r})=>{let i=t[n]??"";return i===""||r==="cookie"?[]:[i,encodeURIComponent(i),...r==="basic"?[qt(i)]:[]]})}function qt(e){return btoa(String.fromCharCode(...new TextEncoder().encode(e)))}function ie({method:e,path:t,parameters:n,body:r},i,o){let c=t.replaceAll(/\\{([^{}]+)\\}/g,(h,m)=>De(i.path[m],encodeURIComponent)),f=n.filter(h=>h.in==="query").flatMap(h=>ge(h,i.query[h.name])),d=new URLSearchParams(f.map(([h,m])=>[h,m])),u=`${o}${c}${d.size>0?`${t.includes("?")?"&":"?"}${d}`:""}`,_=Object.fromEntries(Object.entries(i.header??{}).filter(([,h])=>h!==void 0).map(([h,m])=>[h,De(m,String)]));if(r===void 0)return{url:u,method:e,headers:_};let{type:p,body:l}=We(r.mediaType,i.body);return{url:u,method:e,headers:{..._,...p!==void 0&&{"content-type":p}},...l!==void 0&&{body:l}}}function We(e,t){if(e.startsWith("multipart/")){let n=new FormData;for(let[r,i]of Object.entries(t??{}))i instanceof Blob?n.set(r,i):i!==void 0&&n.set(r,T(i));return{body:n}}if(e==="application/x-www-form-urlencoded"){let n=Object.entries(t??{}).flatMap(([i,o])=>ge({name:i,style:qn(o)?"deepObject":"form"},o)),r=new URLSearchParams(n.map(([i,o])=>[i,o]));return{type:e,body:String(r)}}return t instanceof Blob?{type:e,body:t}:Ve(e)?{type:e,body:JSON.stringify(t??{})}:t===void 0?{}:{type:e,body:T(t)}}function qn(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)}function Ve(e){return/[/+]json\\b/i.test(e)}function ze(e){return Object.fromEntries(Object.entries(e??{}).filter(([,t])=>t!==void 0))}function N(e){return`\'${e.replaceAll("\'",String.raw`\'\\\'\'`)}\'`}function we(e){if(e instanceof File)return`{ path: ${E(e.name)} }`;if(typeof e=="string")return E(e);if(Array.isArray(e))return`[${e.map(we).join(", ")}]`;if(typeof e!="object"||e===null)return String(e);let t=Object.entries(e).map(([n,r])=>`${/^[A-Za-z_$][\\w$]*$/.test(n)?n:E(n)}: ${we(r)}`);return t.length===0?"{}":`{ ${t.join(", ")} }`}function E(e){return`\'${JSON.stringify(e).slice(1,-1).replaceAll(String.raw`\\"`,\'"\').replaceAll("\'",String.raw`\\\'`)}\'`}var Ke=2e4;function Lt(e,t=(...r)=>fetch(...r),n=[]){let r=i=>n.reduce((o,c)=>o.replaceAll(c,se),i);return async(i,o)=>{let c={headers:Ft(new Headers(o?.headers),r),body:Fn(o?.body)},s=r(i instanceof Request?i.url:String(i)),f={kind:"exchange",method:o?.method??"GET",url:s,request:c},d=performance.now(),u=()=>performance.now()-d,_;try{_=await t(i,o)}catch(b){throw e({...f,status:void 0,ms:u(),response:{headers:{},body:""}}),b}let p=u(),{status:l}=_,h=Ft(_.headers,r),m=Ln(_).then(b=>e({...f,status:l,ms:p,response:{headers:h,body:b}}));return ve(_)?m.catch(()=>{}):await m,_}}function Fn(e){return e==null?"":typeof e=="string"?Bt(Mt(e)):e instanceof FormData?[...e].map(([t,n])=>`${t}: ${typeof n=="string"?n:Nn(n)}`).join(`\n`):"(bytes)"}function Nn({name:e,size:t}){return`${e}, ${t} bytes`}async function Ln(e){let t=e.headers.get("content-type")??"";return e.body===null?"":/json|^text\\//.test(t)?Bt(Mt(await e.clone().text())):`(${t||"bytes"})`}function Bt(e){return e.length>Ke?`${e.slice(0,Ke)}\n… ${e.length-Ke} characters more`:e}var se="…",Bn=/^(?:sign-in-with-x|x-sign-in-with-x|payment-signature|payment-required|payment-response)$/,Mn=/^(?:authorization|payment-authorization|cookie)$/,Dn=/^(?:apiKey|signature|transaction|privateKey|download_url)$/;function Ft(e,t){return Object.fromEntries([...e].map(([n,r])=>[n,t(Hn(n,r))]))}function Hn(e,t){return Mn.test(e)?t.includes(" ")?`${t.slice(0,t.indexOf(" "))} ${se}`:se:e==="www-authenticate"?t.replaceAll(/(?<=request=")[\\w-]+/g,n=>Nt(Jn(n))):Bn.test(e)?Nt(t):t}function Nt(e){try{return`(base64 of) ${JSON.stringify($e(JSON.parse(Wn(e))))}`}catch{return se}}function Mt(e){try{return JSON.stringify($e(JSON.parse(e)),null,2)}catch{return e}}function $e(e){return Array.isArray(e)?e.map($e):typeof e!="object"||e===null?e:Object.fromEntries(Object.entries(e).map(([t,n])=>[t,Dn.test(t)&&typeof n=="string"?se:$e(n)]))}function Jn(e){return e.replaceAll("-","+").replaceAll("_","/")}function Wn(e){return new TextDecoder().decode(Uint8Array.from(atob(e),t=>t.charCodeAt(0)))}function Ht(e,t,{findProblems:n,payments:r}){let i=X(t),[o,c]=w(()=>be(e,e.example,i.remembered)),[s,f]=w({}),[d,u]=w([]),[_,p]=w(""),[l,h]=w(),[m,b]=w(""),[v,y]=w(!1),[C,$]=w(0),F=zn(e,i),Y=i.ledger?.access===F?i.ledger:void 0;M(()=>c(k=>be(e,k,i.remembered)),[i.remembered]);let H=()=>re(e,t.get()),U=k=>u(A=>[...A,k]),Z=async k=>{b("");try{if(r===void 0)return;k==="wallet"&&await r.openWallet(t);let{readLedger:A}=await r.load(),P=await A(t.get(),k);return t.update({ledger:P,balanceUsd:P.balanceUsd}),P}catch(A){b(Dt(A));return}},q=async k=>{if(r===void 0||k==="none"){let{secrets:P}=t.get();return Lt(U,void 0,Ut(H(),P))}k==="wallet"&&await r.openWallet(t);let{createCaller:A}=await r.load();return A({...t.get(),access:k},U)},R=async(k,A=F)=>{y(!0),p("Sending …");try{let P=await q(A),xe=performance.now(),Ye=await k(P),Ze=await Rt(Ye,performance.now()-xe,ln=>{p(""),h(ln)});h(Ze),p(""),Kn(t,Ye,Ze.text);let un=A==="wallet"&&t.get().wallet?.asks!==!1;A!=="none"&&!un&&Gn(await Z(A),Y,U)}catch(P){h(void 0),p(Dt(P))}finally{y(!1),$(P=>P+1)}},I=()=>({...o,path:be(e,o,t.get().remembered).path}),O=k=>{let A=ie(e,I(),Be(e,t.get())),{url:P,...xe}=It(A,H(),t.get().secrets);return k(P,xe)},Ge=async k=>{if(r===void 0)throw new Error("This console has no payments.");let{topUpPath:A}=await r.load();return k(`${Le(t.get())}/api/v1${A}`,{method:"POST"})},cn=async()=>{y(!0),F==="wallet"&&await r?.openWallet(t);let k=await n(e,I());if(f(k),Object.keys(k).length>0)return y(!1);u([]),await R(O)},an=async k=>{let A=await Ge(k);return A.ok?O(k):A};return{session:i,access:F,values:o,setValues:c,problems:s,steps:d,status:_,responseData:l,draft:Vn(e,o,F,i),ledger:Y,ledgerProblem:m,busy:v,calls:C,refresh:k=>{Z(k)},submit:()=>{cn()},send:()=>{R(O)},payAndSend:()=>{R(an)},topUp:()=>{u([]),R(Ge,"wallet")}}}function Vn(e,t,n,r){try{let i=Be(e,r),o=re(e,r);return{operation:e,values:t,access:n,origin:new URL(i).origin,base:i,schemes:o}}catch{return}}function zn({credentials:e},{access:t}){return e.includes(t)?t:e[0]??"none"}function Kn(e,t,n){let r=t.headers.get("x-balance-remaining");if(r!==null&&e.update({balanceUsd:Number(r)}),!t.ok||n==="")return;let{remembered:i}=e.get(),o=St(Xn(n));Object.keys(o).length>0&&e.update({remembered:{...i,...o}})}function Xn(e){try{return JSON.parse(e)}catch{return}}function Gn(e,t,n){if(e===void 0)return;let r=t?.access===e.access?t:void 0,i=new Set(r?.rows.map(({id:o})=>o));for(let{id:o,type:c,amount:s}of e.rows.toReversed())i.has(o)||n({kind:"charge",text:`${c} ${s} USD`});r?.balanceUsd!==e.balanceUsd&&n({kind:"charge",text:`Credit after this: ${e.balanceUsd} USD`})}function Dt(e){let t=e instanceof Error?e.message:String(e);return e instanceof TypeError?`No response (${t}). Is the service running at this address?`:t}function Wt({operation:e,store:t,edition:n}){let r=Ht(e,t,n),{SessionBar:i,printers:o,payments:c}=n,{session:s,access:f,problems:d,status:u,responseData:_,busy:p}=r,l=me(null),h=Object.keys(d).length>0;return $t(()=>{h&&l.current?.querySelector("[aria-invalid=true]")?.focus()},[d]),a(D.Provider,{value:`try-${e.id}`,children:[a(i,{store:t,operation:e}),a("form",{ref:l,class:"fbr-form",noValidate:!0,autocomplete:"off",onSubmit:m=>{m.preventDefault(),r.submit()},children:[c!==void 0&&f!==s.access&&a("p",{class:"fbr-hint",children:c.otherAccess[f]}),a(Et,{operation:e,values:r.values,problems:d,onChange:r.setValues}),a("div",{class:"fbr-row",children:[a("button",{type:"submit",disabled:p,children:["Send ",e.method," ",e.path]}),c!==void 0&&_?.status===402&&f==="wallet"&&!e.pays&&s.wallet?.payer!==void 0&&a(c.PayAndSend,{busy:p,onPay:r.payAndSend}),h&&a("button",{type:"button",disabled:p,onClick:r.send,children:"Send as it is"})]}),a("output",{"aria-live":"polite","data-calls":r.calls,children:[u!==""&&a("p",{children:u}),u===""&&_!==void 0&&a(Pt,{response:_})]})]}),r.draft!==void 0&&a(Yn,{draft:r.draft,printers:o}),a("div",{class:"fbr-beside",children:[a(Zn,{steps:r.steps}),c!==void 0&&f!=="none"&&a(c.Ledger,{access:f,ledger:r.ledger,problem:r.ledgerProblem,busy:p,onRefresh:()=>r.refresh(f),onTopUp:r.topUp})]})]})}function Yn({draft:e,printers:t}){let[n,r]=w(),[i,o]=w(""),c=t.find(f=>f.name===n)?.print(e),s=async({name:f,print:d})=>{r(f);try{await navigator.clipboard.writeText(d(e)),o(`Copied as ${f}.`)}catch{o("The browser does not allow copying. Select the text below.")}};return a("section",{class:"fbr-copy","aria-label":"The request as code",children:[a("div",{class:"fbr-row",children:[a("span",{children:"Copy as"}),t.map(f=>a("button",{type:"button",class:"fbr-small","aria-pressed":f.name===n,onClick:()=>{s(f)},children:f.name},f.name)),a("span",{role:"status",children:i})]}),c!==void 0&&a("pre",{tabIndex:0,role:"region","aria-label":`As ${n}`,children:c})]})}function Zn({steps:e}){return a("section",{class:"fbr-trace","aria-label":"Wire trace",children:[a("h3",{children:"On the wire"}),e.length===0&&a("p",{class:"fbr-hint",children:"Each request and response appears here, with its headers and without secrets."}),a("ol",{children:e.map((t,n)=>a("li",{class:`fbr-${t.kind}`,children:a(Qn,{step:t})},n))})]})}function Qn({step:e}){if(e.kind==="charge")return a("p",{children:e.text});if(e.kind==="signature")return a("details",{children:[a("summary",{children:e.what}),a(Xe,{label:e.what,text:e.signed})]});let{method:t,url:n,status:r,ms:i,request:o,response:c}=e,{pathname:s,search:f}=new URL(n);return a("details",{children:[a("summary",{children:[a("span",{class:"fbr-method",children:t})," ",s,f," ",a("span",{class:r!==void 0&&r<300?"fbr-good":"fbr-warn",children:r??"no response"})," ",a("span",{class:"fbr-hint",children:[Math.round(i)," ms"]})]}),a(Xe,{label:"Request",text:`${t} ${s}${f}\n${Jt(o)}`}),r!==void 0&&a(Xe,{label:"Response",text:`${r}\n${Jt(c)}`})]})}function Xe({label:e,text:t}){return a(x,{children:[a("h4",{children:e}),a("pre",{tabIndex:0,role:"region","aria-label":e,children:t})]})}function Jt({headers:e,body:t}){return[...Object.entries(e).map(([r,i])=>`${r}: ${i}`),...t===""?[]:["",t]].join(`\n`)}function Vt(e,t){class n extends HTMLElement{connectedCallback(){let i=this.querySelector("script")?.textContent;if(i==null)return;let o=this.closest("details:not([open])");if(o!==null)return o.addEventListener("toggle",()=>this.connectedCallback(),{once:!0});let c=this.querySelector("div")??this.appendChild(document.createElement("div")),s=JSON.parse(i);Re(a(Wt,{operation:s,store:e(this,s),edition:t}),c)}disconnectedCallback(){let i=this.querySelector("div");i!==null&&Re(null,i)}}customElements.define("farebox-console",n)}var Kt="farebox-docs-oauth",Xt="farebox-docs-";function ke(){return new URL("../index.html",location.href).href}async function Gt({tokenUrl:e},{id:t,secret:n,scope:r}){return Qt(e,{grant_type:"client_credentials",client_id:t,client_secret:n,...r!==""&&{scope:r}})}async function Yt({authorizationUrl:e="",tokenUrl:t},{id:n,scope:r},i){if(!isSecureContext)throw new Error("Signing in needs HTTPS or localhost: the browser computes no hash elsewhere.");let o=open("about:blank","_blank","popup,width=520,height=720");if(o===null)throw new Error("The browser blocked the window of the authorization server.");o.opener=null;let[c,s]=[zt(),`${Xt}${zt()}`],f=await crypto.subtle.digest("SHA-256",new TextEncoder().encode(c)),d=new URL(e),u={response_type:"code",client_id:n,redirect_uri:ke(),state:s,code_challenge:en(new Uint8Array(f)),code_challenge_method:"S256",...r!==""&&{scope:r}};for(let[h,m]of Object.entries(u))d.searchParams.set(h,m);let _=er(s,i);o.location.href=d.href;let p=await _,l=p.get("code");if(l===null)throw new Error(`The authorization server rejects the request: ${p.get("error_description")??p.get("error")??"it sent no code"}.`);return Qt(t,{grant_type:"authorization_code",client_id:n,code:l,redirect_uri:ke(),code_verifier:c})}function Zt({search:e}){if(new URLSearchParams(e).get("state")?.startsWith(Xt)!==!0)return;let t=new BroadcastChannel(Kt);t.postMessage(e),t.close(),close()}async function er(e,t){let n=new BroadcastChannel(Kt);try{return await new Promise((r,i)=>{t.addEventListener("abort",()=>i(new Error("Signing in was cancelled."))),n.addEventListener("message",({data:o})=>{let c=new URLSearchParams(typeof o=="string"?o:"");c.get("state")===e&&r(c)})})}finally{n.close()}}async function Qt(e,t){let{host:n}=new URL(e),r=await fetch(e,{method:"POST",body:new URLSearchParams(t),headers:{accept:"application/json"}}).catch(()=>{});if(r===void 0)throw new Error(`${n} did not respond, or does not allow requests of this page (CORS).`);let i=await r.json().catch(()=>({})),{access_token:o,error_description:c,error:s="no access_token"}=i;if(r.ok&&typeof o=="string")return o;throw new Error(`${n} gave no token (${r.status}): ${String(c??s)}.`)}function zt(){return en(crypto.getRandomValues(new Uint8Array(32)))}function en(e){return btoa(String.fromCharCode(...e)).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}function nn({store:e,operation:t}){let n=X(e),r=z(D),{servers:i=[],alternatives:o=[]}=t.access??{},c=re(t,n);return a("fieldset",{class:"fbr-session",children:[a("legend",{children:"Session"}),a("div",{class:"fbr-pair",children:[a("div",{class:"fbr-field",children:[a("label",{for:`${r}-server`,children:"Server"}),a("input",{id:`${r}-server`,name:"server",type:"url",required:!0,list:`${r}-servers`,value:n.service,spellcheck:!1,onInput:s=>e.update({service:s.currentTarget.value})}),a("datalist",{id:`${r}-servers`,children:i.map(s=>a("option",{value:s}))})]}),o.length>1&&a("div",{class:"fbr-field",children:[a("label",{for:`${r}-alternative`,children:"Credential"}),a("select",{id:`${r}-alternative`,name:"alternative",value:ne(c),onChange:s=>e.update({alternative:s.currentTarget.value}),children:o.map(s=>a("option",{value:ne(s),children:s.length===0?"No credential":ne(s)}))})]})]}),c.map(s=>a(tr,{scheme:s,store:e},s.name)),c.length===0&&a("p",{class:"fbr-hint",children:"This operation is called without a credential."}),c.length>0&&a(rr,{store:e})]})}function tr({scheme:e,store:t}){let{name:n,carrier:r,parameter:i}=e,{secrets:o}=X(t),c=`${z(D)}-secret-${n.replaceAll(/[^\\w-]/g,"-")}`,s=p=>t.update({secrets:{...o,[n]:p}});if(r==="cookie")return a("p",{class:"fbr-hint",children:[a("b",{children:n}),": the browser sends its own cookie ",a("code",{children:i}),", if the server allows requests of this page. A page cannot set a cookie for another host."]});let f={autocomplete:"off",spellcheck:!1};if(r!=="basic")return a("div",{class:"fbr-field",children:[a("label",{for:c,children:[n," ",a("span",{class:"fbr-bounds",children:r==="bearer"?"bearer token":`${r} ${i}`})]}),a("input",{...f,id:c,name:`secret-${n}`,type:"password",value:o[n]??"",onInput:p=>s(p.currentTarget.value.trim())}),e.oauth!==void 0&&a(nr,{id:c,oauth:e.oauth,onToken:s})]});let[d="",...u]=(o[n]??"").split(":"),_=u.join(":");return a("div",{class:"fbr-pair",role:"group","aria-label":n,children:[a("div",{class:"fbr-field",children:[a("label",{for:`${c}-user`,children:["User ",a("span",{class:"fbr-bounds",children:n})]}),a("input",{...f,id:`${c}-user`,value:d,onInput:p=>s(tn(p.currentTarget.value.replaceAll(":",""),_))})]}),a("div",{class:"fbr-field",children:[a("label",{for:c,children:["Password ",a("span",{class:"fbr-bounds",children:n})]}),a("input",{...f,id:c,type:"password",value:_,onInput:p=>s(tn(d,p.currentTarget.value))})]})]})}function nr({id:e,oauth:t,onToken:n}){let[r,i]=w({id:"",secret:"",scope:""}),[o,c]=w(""),s=me(void 0),f=async l=>{s.current?.abort();let h=new AbortController;s.current=h,c("Waiting for the authorization server …");try{n(await l(h.signal)),c("The token is filled in.")}catch(m){h.signal.aborted||c(m instanceof Error?m.message:String(m))}},d=(l,h)=>{let m={id:`${e}-${l}`,autocomplete:"off",spellcheck:!1,value:r[l],onInput:b=>i({...r,[l]:b.currentTarget.value.trim()})};return a("div",{class:"fbr-field",children:[a("label",{for:m.id,children:h}),l==="secret"?a("input",{...m,type:"password"}):a("input",{...m,type:"text"})]})},{authorizationUrl:u,isForClients:_,scopes:p}=t;return a("details",{children:[a("summary",{children:"Get a token by OAuth 2.0"}),d("id","Client ID"),_&&d("secret","Client secret"),d("scope","Scopes"),p.length>0&&a("p",{class:"fbr-hint",children:["Separated by spaces: ",p.join(" ")]}),a("div",{class:"fbr-row",children:[u!==void 0&&a("button",{type:"button",class:"fbr-small",disabled:r.id==="",onClick:()=>{f(l=>Yt(t,r,l))},children:"Sign in"}),_&&a("button",{type:"button",class:"fbr-small",disabled:r.id===""||r.secret==="",onClick:()=>{f(()=>Gt(t,r))},children:"Get a token for the client"})]}),u!==void 0&&a("p",{class:"fbr-hint",children:["The redirect URI of the client: ",a("code",{children:ke()})]}),a("p",{role:"status",children:o})]})}function tn(e,t){return e===""&&t===""?"":`${e}:${t}`}function rr({store:e}){let{keep:t}=X(e);return a(x,{children:[a("div",{class:"fbr-row",children:[a("label",{class:"fbr-check",children:[a("input",{type:"checkbox",name:"keep",checked:t,onChange:n=>e.update({keep:n.currentTarget.checked})}),"Keep in this tab"]}),a("button",{type:"button",class:"fbr-small",onClick:()=>e.update({keep:!1,secrets:{}}),children:"Forget all"})]}),a("p",{class:"fbr-hint",children:t?\'The credentials are in the storage of this tab until you close it or choose "Forget all".\':"Credentials stay in the memory of this page: the next page asks again."})]})}var rn=[{name:"curl",print:or},{name:"fetch",print:ar}];function or(e){let{operation:t,values:n,base:r}=e,{url:i,method:o,headers:c}=ie(t,n,r),s=e.schemes.map(u=>sr(u)),f=s.reduce((u,{query:_=""})=>cr(u,_),N(i));return[`curl -sS${o==="GET"?"":` -X ${/^[A-Z]+$/.test(o)?o:N(o)}`} ${f}`,...s.flatMap(({flag:u})=>u??[]),...Object.entries(c).map(([u,_])=>`-H ${N(`${u}: ${_}`)}`),...ir(e)].join(` \\\\\n  `)}function ir({operation:{body:e},values:t}){return e===void 0?[]:e.mediaType.startsWith("multipart/")?Object.entries(ze(t.body)).map(([n,r])=>`-F ${N(`${n}=${r instanceof File?`@${r.name}`:T(r)}`)}`):t.body instanceof File?[`--data-binary ${N(`@${t.body.name}`)}`]:[`-d ${N(on(e.mediaType,t.body))}`]}function on(e,t){let{body:n}=We(e,t);return typeof n=="string"?n:""}function sr(e){let t=`$${sn(e)}`,{carrier:n,parameter:r}=e;if(n==="basic")return{flag:`-u "${t}"`};if(n==="cookie")return{flag:`-b ${N(`${r}=`)}"${t}"`};if(n==="query")return{query:`${encodeURIComponent(r)}=${t}`};let i=n==="bearer"?`Bearer ${t}`:t;return{flag:`-H ${N(`${r}: `)}"${i}"`}}function cr(e,t){return t===""?e:`${e}"${e.includes("?")?"&":"?"}${t}"`}function sn({name:e}){return e.replaceAll(/([a-z\\d])([A-Z])/g,"$1_$2").replaceAll(/[^A-Za-z\\d]+/g,"_").toUpperCase().replace(/^(?=\\d|$)/,"_")}function ar(e){let{operation:t,values:n,base:r,schemes:i}=e,{url:o,method:c,headers:s}=ie(t,n,r),f=p=>`process.env.${sn(p)}`,d=[...Object.entries(s).map(([p,l])=>`${E(p)}: ${E(l)}`),...i.flatMap(p=>{let{carrier:l,parameter:h}=p;if(l==="query")return[];let m={bearer:`\\`Bearer \\${${f(p)}}\\``,basic:`\\`Basic \\${btoa(${f(p)} ?? \'\')}\\``,header:`${f(p)} ?? \'\'`,cookie:`\\`${h.replaceAll(/[`\\\\$]/g,"")}=\\${${f(p)}}\\``}[l];return`${E(l==="cookie"?"cookie":h)}: ${m}`})],u=ur(e),_=i.filter(({carrier:p})=>p==="query");return[`const url = new URL(${E(o)})`,..._.map(p=>`url.searchParams.set(${E(p.parameter)}, ${f(p)} ?? \'\')`),...u.before,"const response = await fetch(url, {",`  method: ${E(c)},`,...d.length===0?[]:[`  headers: { ${d.join(", ")} },`],...u.text===void 0?[]:[`  body: ${u.text},`],"})","console.log(response.status, await response.text())"].join(`\n`)}function ur({operation:{body:e},values:t}){return e===void 0?{before:[]}:Ve(e.mediaType)?{before:[],text:`JSON.stringify(${we(t.body??{})})`}:e.mediaType.startsWith("multipart/")?{before:["const form = new FormData()",...Object.entries(ze(t.body)).map(([r,i])=>{let o=i instanceof File?`await (await import(\'node:fs\')).openAsBlob(${E(i.name)}), ${E(i.name)}`:E(T(i));return`form.set(${E(r)}, ${o})`})],text:"form"}:{before:[],text:E(on(e.mediaType,t.body))}}Vt(lr,{SessionBar:nn,findProblems:async(e,t)=>jt(e,t),printers:rn});dr(document);Zt(location);function lr(e,{access:t}){let[n=location.origin]=t?.servers??[],{pathname:r}=new URL("..",location.href);return xt(n,fr(),`farebox-docs ${r} ${n}`)}function fr(){try{return sessionStorage}catch{return{getItem:()=>null,setItem:()=>{},removeItem:()=>{}}}}function dr(e){let t=e.querySelector("#filter"),n=e.querySelector("#filter-status");if(t===null||n===null)return;let r=[...e.querySelectorAll("section.tag")].map(o=>({section:o,items:[...o.querySelectorAll("li")].map(c=>({item:c,text:`${o.querySelector("h2")?.textContent??""} ${c.dataset.id??""} ${c.textContent}`.toLowerCase()}))})),i=()=>{let o=t.value.toLowerCase().split(/\\s+/),c=0;for(let{section:s,items:f}of r){let d=0;for(let{item:u,text:_}of f)u.hidden=!o.every(p=>_.includes(p)),u.hidden||d++;s.hidden=d===0,c+=d}n.textContent=`${c} ${c===1?"operation":"operations"}`};t.addEventListener("input",i),t.addEventListener("keydown",({key:o})=>{o==="Enter"&&e.querySelector("section.tag li:not([hidden]) a")?.click()}),e.addEventListener("keydown",o=>{let{target:c,key:s}=o;s!=="/"||c instanceof HTMLElement&&c.matches("input, textarea, select")||(o.preventDefault(),t.focus())}),addEventListener("pageshow",i),t.closest("search")?.removeAttribute("hidden"),i()}})();\n', "style": "/* Generated from tools/internal/reference. Do not edit: run `pnpm generate` instead. Includes preact and preact-render-to-string, copyright Jason Miller, MIT. */\n:root{color-scheme:light dark;--sl-font: system-ui, sans-serif;--sl-font-mono: ui-monospace, monospace;--sl-nav-height: 0rem;--sl-color-white: #14201f;--sl-color-gray-2: #33413f;--sl-color-gray-4: #7f8a86;--sl-color-gray-5: #c9cdc6;--sl-color-gray-6: #ebeae3;--sl-color-black: #fdfcf8;--sl-color-text-accent: #0b6f62;--fb-panel: #f6f4ed;--fb-good: #1c6b37;--fb-warn: #855400;--fb-bad: #a52f1b;--fb-get: #14579c;--fb-post: #0b6f62}@media(prefers-color-scheme:dark){:root{--sl-color-white: #f7f5ef;--sl-color-gray-2: #c9ccc6;--sl-color-gray-4: #6c7b7a;--sl-color-gray-5: #2c3a3b;--sl-color-gray-6: #1a2628;--sl-color-black: #0e191b;--sl-color-text-accent: #7fe3d0;--fb-panel: #142225;--fb-good: #7fe3a0;--fb-warn: #ffc247;--fb-bad: #ff9d8a;--fb-get: #8fc7ff;--fb-post: #7fe3d0}}*{box-sizing:border-box}body{margin:0;background:var(--sl-color-black);color:var(--sl-color-white);font:16px/1.55 var(--sl-font)}:is(main,header,footer){max-width:110rem;margin:0 auto;padding:0 1.25rem}header{padding-top:2rem}footer{padding-top:2rem;padding-bottom:3rem}.soft{color:var(--sl-color-gray-2)}a{color:var(--sl-color-text-accent)}:is(a,summary,button,input,select,textarea,pre):focus-visible{outline:2px solid var(--sl-color-text-accent);outline-offset:2px}nav ul{list-style:none;margin:0;padding:0;display:grid;gap:.15rem 1.5rem;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr))}code{padding:.1em .3em;background:var(--sl-color-gray-6);border-radius:4px;font:.875em/1.5 var(--sl-font-mono);overflow-wrap:anywhere}pre{margin:.5rem 0;padding:.7rem .9rem;overflow:auto;background:var(--fb-panel);border:1px solid var(--sl-color-gray-5);border-radius:.5rem}pre code{padding:0;background:none}summary{cursor:pointer}main>details{margin:.6rem 0;padding:.7rem 1rem;border:1px solid var(--sl-color-gray-5);border-radius:.6rem}.operation>summary{overflow-wrap:anywhere}:is(h4,h5){margin:1.2rem 0 .4rem;font-size:1.05rem}figure{margin:1rem 0}figcaption{font-size:.88rem;color:var(--sl-color-gray-2)}dl{margin:1rem 0}dd{margin:0}.endpoint{display:flex;align-items:center;gap:.7rem;padding:.6rem .9rem;background:var(--fb-panel);border:1px solid var(--sl-color-gray-5);border-radius:.6rem}.endpoint code{background:none;padding:0;font-size:1rem;overflow-wrap:anywhere}.method{font-family:var(--sl-font-mono);font-weight:700;font-size:.82rem}.method:is(.patch,.delete){color:var(--fb-warn)}main dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.2rem 1.2rem;margin:1.2rem 0}.facts>div{margin:0;padding:.35rem 0;border-bottom:1px solid var(--sl-color-gray-5)}.facts dt{font-size:.82rem;font-weight:650;color:var(--sl-color-gray-2)}.facts dd{margin:0;padding:0}ul.fields{list-style:none;padding:0}ul.fields ul.fields{margin:.4rem 0 0 .2rem;padding-left:.9rem;border-left:2px solid var(--sl-color-gray-5)}ul.fields>li{margin:0;padding:.55rem 0;border-bottom:1px solid var(--sl-color-gray-6)}ul.fields p{margin:.15rem 0 0}.field{display:flex;flex-wrap:wrap;gap:.15rem .65rem;align-items:baseline}.field .field-name{background:none;padding:0;color:var(--sl-color-gray-2);overflow-wrap:anywhere}.field .field-name b{color:var(--sl-color-white)}.type{font-size:.88rem;color:var(--sl-color-text-accent)}.note{font-size:.84rem;color:var(--sl-color-gray-2);overflow-wrap:anywhere}.required{font-size:.8rem;font-weight:650;color:var(--fb-bad)}.provisional{font-size:.8rem;font-weight:650;color:var(--fb-warn)}.values{display:flex;flex-wrap:wrap;gap:.35rem;align-items:baseline}.values code{font-size:.8rem}.values details{font-size:.84rem}.option>p{margin-top:.6rem;font-size:.9rem}.media{display:flex;flex-wrap:wrap;gap:.7rem;align-items:baseline}.columns>*{min-width:0;margin:0}.columns+*,.columns>*+*{margin-top:1.5rem}.columns.response{margin-top:1.2rem;padding-top:1.2rem;border-top:1px solid var(--sl-color-gray-5)}.code-column pre{max-width:100%}@media(min-width:72rem){:root:has(.columns) .right-sidebar-container{display:none}:root:has(.columns) .main-pane{width:100%;--sl-content-width: 100%}.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);grid-template-rows:auto 1fr;column-gap:2rem;align-items:start}.columns>*+*{margin-top:0}.columns>.fields-column{grid-column:1;grid-row:2;margin-top:1.2rem}.columns>.code-column{grid-column:2;grid-row:1 / span 2}.columns:not(.response)>.code-column{position:sticky;top:calc(var(--sl-nav-height) + 1rem)}}@media(min-width:96rem){.columns{grid-template-columns:minmax(0,8fr) minmax(0,9fr) minmax(0,9fr);grid-template-rows:auto}.columns>.fields-column{grid-column:2;grid-row:1;margin-top:0}.columns>.code-column{grid-column:3;grid-row:1}}farebox-console{--line: var(--sl-color-gray-5, #c9cdc6);--edge: var(--sl-color-gray-4, #7f8a86);--ground: var(--sl-color-black, #fdfcf8);--panel: var(--fb-panel, #f6f4ed);--ink: var(--sl-color-white, #14201f);--soft: var(--sl-color-gray-2, #33413f);--accent: var(--sl-color-text-accent, #0b6f62);--good: var(--fb-good, #1c6b37);--warn: var(--fb-warn, #855400);--bad: var(--fb-bad, #a52f1b);--mono: var(--sl-font-mono, ui-monospace, monospace);display:block;container-type:inline-size;min-height:20rem}farebox-console>div{display:grid;gap:1rem}farebox-console *,farebox-console *:before{margin:0;box-sizing:border-box}farebox-console :is(fieldset,form,section){min-width:0}farebox-console :is(.fbr-session,.fbr-form,.fbr-copy,.fbr-trace,.fbr-ledger){display:grid;gap:.8rem;align-content:start;padding:.9rem 1rem 1rem;background:var(--panel);border:1px solid var(--line);border-radius:.7rem}farebox-console legend,farebox-console h3{font-size:.95rem;font-weight:700;color:var(--ink)}farebox-console h4{margin-top:.5rem;font-size:.8rem;color:var(--soft)}farebox-console :is(.fbr-pair,.fbr-beside){display:grid;gap:.9rem;grid-template-columns:minmax(0,1fr)}@container (min-width: 40rem){farebox-console :is(.fbr-pair,.fbr-beside){grid-template-columns:repeat(2,minmax(0,1fr))}farebox-console .fbr-beside>:only-child{grid-column:1 / -1}}farebox-console .fbr-fields{display:grid;gap:.8rem;align-content:start}farebox-console .fbr-field{display:grid;gap:.25rem;align-content:start;min-width:0}farebox-console fieldset.fbr-field{gap:.6rem;padding:.5rem .8rem .8rem;border:1px solid var(--line);border-radius:.5rem}farebox-console :is(label,legend,summary){font-size:.86rem;font-weight:600}farebox-console summary{cursor:pointer;padding:.25rem 0;overflow-wrap:anywhere}farebox-console details[open]>.fbr-field{margin-top:.8rem}farebox-console .fbr-item{display:grid;gap:.4rem;justify-items:start}farebox-console .fbr-item>.fbr-field{width:100%}farebox-console .fbr-bounds,farebox-console .fbr-hint,farebox-console small{font-size:.8rem;font-weight:400;color:var(--soft)}farebox-console .fbr-required{font-size:.78rem;color:var(--bad)}farebox-console .fbr-problem{font-size:.82rem;font-weight:600;color:var(--bad)}farebox-console .fbr-problem:empty,farebox-console .fbr-told:empty,farebox-console output:empty{display:none}farebox-console :is(input:not([type=checkbox]),textarea,select){width:100%;min-width:0;font:.86rem/1.5 var(--mono);color:var(--ink);background:var(--ground);border:1px solid var(--edge);border-radius:.4rem;padding:.35rem .55rem}farebox-console [aria-invalid=true]:not(fieldset){border-color:var(--bad);outline:1px solid var(--bad)}farebox-console textarea{resize:vertical}farebox-console .fbr-as{display:flex;gap:.6rem;align-items:center}farebox-console .fbr-as span{flex:none}farebox-console .fbr-row{display:flex;flex-wrap:wrap;gap:.5rem .7rem;align-items:center}farebox-console .fbr-check{display:flex;gap:.4rem;align-items:center;min-height:1.6rem}farebox-console .fbr-check input{width:1.1rem;height:1.1rem}farebox-console .fbr-queue{font-size:.84rem;overflow-wrap:anywhere}farebox-console .fbr-who{flex:1 1 16rem;font-size:.84rem;overflow-wrap:anywhere}farebox-console button{font:650 .9rem var(--sl-font, system-ui, sans-serif);padding:.45rem 1rem;border:1.5px solid var(--accent);border-radius:.5rem;background:transparent;color:var(--accent);cursor:pointer;overflow-wrap:anywhere}farebox-console .fbr-small{font-size:.8rem;padding:.25rem .7rem;border-width:1px}farebox-console :is(button[type=submit],.fbr-pay,[aria-pressed=true]){background:var(--accent);color:var(--ground)}farebox-console button:disabled{cursor:progress;opacity:.65}farebox-console output{display:grid;gap:.6rem;min-width:0}farebox-console pre{max-height:22rem;overflow:auto;padding:.7rem .8rem;background:var(--ground);border:1px solid var(--line);border-radius:.5rem;font:.8rem/1.5 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}farebox-console :is(audio,video){width:100%;max-height:20rem}farebox-console ol{display:grid;gap:.35rem;padding-left:1.3rem;font-size:.86rem}farebox-console .fbr-method{font-family:var(--mono);font-weight:700}farebox-console .fbr-good{color:var(--good)}farebox-console .fbr-warn{color:var(--warn)}farebox-console .fbr-charge{font-weight:600}farebox-console .fbr-balance{flex:1;font-size:1.1rem;font-weight:700}farebox-console table{display:table;width:100%;border-collapse:collapse;font-size:.82rem}farebox-console :is(th,td){padding:.25rem .4rem .25rem 0;text-align:left;border-bottom:1px solid var(--line);overflow-wrap:anywhere}:is(main,header,footer,.others){max-width:100rem;margin:0 auto;padding-inline:1.25rem}header{padding-top:1.2rem}:is(.fields-column,.code-column)>h2:first-child{margin-top:0}h1{margin:.4rem 0;line-height:1.2;overflow-wrap:anywhere}h2{margin:2rem 0 .6rem;font-size:1.25rem}h3{margin:0 0 .4rem;font-size:1.05rem}:is(p,li,dd,summary){overflow-wrap:anywhere}header p{margin:.4rem 0 1rem}.method{color:var(--fb-warn)}.method.get{color:var(--fb-get)}.method.post{color:var(--fb-post)}[hidden]{display:none!important}search{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.4rem .8rem;align-items:center;padding:.8rem 0;background:var(--sl-color-black)}search p{margin:0}#filter{flex:1 1 16rem;min-width:0;padding:.45rem .7rem;font:inherit;color:inherit;background:var(--fb-panel);border:1px solid var(--sl-color-gray-4);border-radius:.5rem}.tag{content-visibility:auto;contain-intrinsic-size:auto 30rem}.tag ul{list-style:none;margin:0;padding:0}.tag a{display:grid;grid-template-columns:4.5rem minmax(0,1fr) auto minmax(0,1.2fr);gap:.1rem .8rem;align-items:baseline;padding:.35rem .4rem;border-bottom:1px solid var(--sl-color-gray-6);color:var(--sl-color-white);text-decoration:none}.tag a:hover .summary{text-decoration:underline}.tag .path{grid-column:4;font:.84rem/1.5 var(--sl-font-mono);color:var(--sl-color-gray-2);overflow-wrap:anywhere}@media(max-width:48rem){.tag a{grid-template-columns:4.5rem minmax(0,1fr)}.tag :is(.path,.provisional){grid-column:2}}.others{display:flex;flex-wrap:wrap;gap:.6rem 2rem;justify-content:space-between;padding-top:2.5rem}.code-column pre{max-height:34rem}.others a{min-width:0;overflow-wrap:anywhere}\n" };
function renderDocs2(input) {
  return renderDocs(input, assets);
}
export {
  renderDocs2 as renderDocs
};
