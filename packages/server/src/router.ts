// Finds a request's route with one regular expression. A tree accepts routes that no expression can, but costs each request
// more than all other routing. Under /merchants a name and a parameter are in the same place, so these routes need the tree.
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'

const MERCHANTS = '/merchants/'

export const createRouter = <T>(): Router<T> => {
  const [merchantRouter, otherRouter] = [new TrieRouter<T>(), new RegExpRouter<T>()]
  return {
    name: 'plazo',
    add: (method, path, handler) => {
      const isMerchantPath = path.startsWith(MERCHANTS)
      if (isMerchantPath || path === '*' || path === '/*') merchantRouter.add(method, path, handler)
      if (!isMerchantPath) otherRouter.add(method, path, handler)
    },
    match: (method, path) => (path.startsWith(MERCHANTS) ? merchantRouter : otherRouter).match(method, path),
  }
}
