"""Pictures of trees and processes."""
