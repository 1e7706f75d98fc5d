// Finds a request's route with one regular expression. A tree accepts routes that no expression can, but costs each request
// more than all other routing. Under /merchants a name and a parameter are in the same place, so these routes need the tree.
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'

const MERCHANTS = '/merchants/'

export const plazoRouter = <T>(): Router<T> => {
  const [ofMerchants, ofOthers] = [new TrieRouter<T>(), new RegExpRouter<T>()]
  return {
    name: 'plazo',
    add: (method, path, handler) => {
      const isOfMerchants = path.startsWith(MERCHANTS)
      if (isOfMerchants || path === '*' || path === '/*') ofMerchants.add(method, path, handler)
      if (!isOfMerchants) ofOthers.add(method, path, handler)
    },
    match: (method, path) => (path.startsWith(MERCHANTS) ? ofMerchants : ofOthers).match(method, path),
  }
}
