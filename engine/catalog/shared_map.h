// SharedMap: an immutable sorted map. with() and without() make another map that shares all but the
// path to the difference: O(log n) nodes. Copying copies one pointer; any thread may read.
//
// An AVL tree: the heights of a node's children differ by at most one, so recursion is at most 1.44
// log2(n) deep.
#pragma once

#include <algorithm>
#include <compare>
#include <memory>
#include <utility>

namespace stator {

template <class Key, class Value>
class SharedMap {
 public:
  struct Entry {
    Key key;
    Value value;
  };

  bool is_empty() const { return root_ == nullptr; }

  // The pointer is valid while any map with the entry exists.
  template <class AnyKey>
  const Value* find(const AnyKey& key) const {
    for (const Node* node = root_.get(); node != nullptr;) {
      const auto order = key <=> node->entry.key;
      if (order == 0) return &node->entry.value;
      node = (order < 0 ? node->left : node->right).get();
    }
    return nullptr;
  }

  // first(): the entry with the smallest key. after(): the one with the smallest key greater than
  // `key`. nullptr if none.
  const Entry* first() const {
    const Node* node = root_.get();
    while (node != nullptr && node->left != nullptr) node = node->left.get();
    return node == nullptr ? nullptr : &node->entry;
  }
  template <class AnyKey>
  const Entry* after(const AnyKey& key) const {
    const Entry* found = nullptr;
    for (const Node* node = root_.get(); node != nullptr;) {
      const bool is_after = key < node->entry.key;
      if (is_after) found = &node->entry;
      node = (is_after ? node->left : node->right).get();
    }
    return found;
  }

  // In key order.
  template <class Visit>
  void for_each(Visit visit) const {
    visit_all(root_.get(), visit);
  }

  // This map with `key` set to `value`, new or not.
  SharedMap with(Key key, Value value) const {
    return SharedMap(inserted(root_, {std::move(key), std::move(value)}));
  }
  // This map without `key`, whether present or not.
  template <class AnyKey>
  SharedMap without(const AnyKey& key) const {
    return find(key) == nullptr ? *this : SharedMap(erased(root_, key));
  }

  SharedMap() = default;

 private:
  struct Node;
  using NodePtr = std::shared_ptr<const Node>;
  struct Node {
    Entry entry;
    NodePtr left;
    NodePtr right;
    int height;
  };

  explicit SharedMap(NodePtr root) : root_(std::move(root)) {}

  static int height(const NodePtr& node) { return node == nullptr ? 0 : node->height; }

  static NodePtr joined(Entry entry, NodePtr left, NodePtr right) {
    const int tallest = std::max(height(left), height(right));
    return std::make_shared<const Node>(
        Node{std::move(entry), std::move(left), std::move(right), tallest + 1});
  }

  // Makes a node and restores the balance. REQUIRES: heights differ by at most two.
  static NodePtr balanced(Entry entry, NodePtr left, NodePtr right) {
    const int tilt = height(left) - height(right);
    if (tilt > 1) {
      if (height(left->left) >= height(left->right)) {
        return joined(left->entry, left->left,
                      joined(std::move(entry), left->right, std::move(right)));
      }
      const Node& top = *left->right;
      return joined(top.entry, joined(left->entry, left->left, top.left),
                    joined(std::move(entry), top.right, std::move(right)));
    }
    if (tilt < -1) {
      if (height(right->right) >= height(right->left)) {
        return joined(right->entry, joined(std::move(entry), std::move(left), right->left),
                      right->right);
      }
      const Node& top = *right->left;
      return joined(top.entry, joined(std::move(entry), std::move(left), top.left),
                    joined(right->entry, top.right, right->right));
    }
    return joined(std::move(entry), std::move(left), std::move(right));
  }

  static NodePtr inserted(const NodePtr& node, Entry entry) {
    if (node == nullptr) return joined(std::move(entry), nullptr, nullptr);
    const auto order = entry.key <=> node->entry.key;
    if (order == 0) return joined(std::move(entry), node->left, node->right);
    if (order < 0)
      return balanced(node->entry, inserted(node->left, std::move(entry)), node->right);
    return balanced(node->entry, node->left, inserted(node->right, std::move(entry)));
  }

  // REQUIRES: the key exists.
  template <class AnyKey>
  static NodePtr erased(const NodePtr& node, const AnyKey& key) {
    const auto order = key <=> node->entry.key;
    if (order < 0) return balanced(node->entry, erased(node->left, key), node->right);
    if (order > 0) return balanced(node->entry, node->left, erased(node->right, key));
    if (node->left == nullptr) return node->right;
    if (node->right == nullptr) return node->left;
    const Node* next = node->right.get();
    while (next->left != nullptr) next = next->left.get();
    return balanced(next->entry, node->left, erased(node->right, next->entry.key));
  }

  template <class Visit>
  static void visit_all(const Node* node, Visit& visit) {
    if (node == nullptr) return;
    visit_all(node->left.get(), visit);
    visit(node->entry.key, node->entry.value);
    visit_all(node->right.get(), visit);
  }

  NodePtr root_;
};

}  // namespace stator
